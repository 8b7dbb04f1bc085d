package plan

// A Document is the maps of a whole checkpoint, in the order of the file.
type Document struct{ Params []Param }

// A Param is the map of one parameter, or of all whose full names match.
type Param struct {
	Name string // an anchored regular expression of full names, or a plain name
	Map  Map
}

// DocumentVersion is the version of affine map documents that is read.
const DocumentVersion = 1

var (
	wrapperFields  = []string{"affine_map", "version", "params"}
	documentFields = []string{"version", "params"}
)

// DecodeDocument reads an affine map document, with or without the object around it that a universal
// checkpoint stores. The error is a *FormatError.
func DecodeDocument(text []byte) (Document, error) {
	r := newJSONReader(text)
	var document Document
	object := r.object(wrapperFields)
	for object.next() {
		if object.name == "affine_map" {
			document = r.document()
			continue
		}
		r.documentField(object.name, &document)
	}
	if object.has("affine_map") {
		object.refuseOthers("affine_map", wrapperFields)
	} else {
		object.require(documentFields...)
	}
	if err := r.finish(); err != nil {
		return Document{}, err
	}
	return document, nil
}

func (r *jsonReader) document() Document {
	var document Document
	object := r.object(documentFields)
	for object.next() {
		r.documentField(object.name, &document)
	}
	object.require(documentFields...)
	return document
}

func (r *jsonReader) documentField(name string, document *Document) {
	if name == "version" {
		r.version(DocumentVersion)
		return
	}
	seen := map[string]bool{}
	object := r.object(nil)
	for object.next() {
		if seen[object.name] {
			r.fail("given twice")
		}
		seen[object.name] = true
		document.Params = append(document.Params, Param{object.name, r.paramMap()})
	}
}
