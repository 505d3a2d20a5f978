package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// endpoint describes one operation of the API.
type endpoint struct {
	method, path string
	id           string // unique; clients are named after it
	summary      string
	right        Right
	tag          string // the group that it is shown in
}

// register adds an endpoint to the API. Fields of I with a tag path, query or header
// are parameters: texts, whole numbers or truth values. Its field Body is read from
// JSON; a field RawBody takes a body of any kind as it is. The Body of O is answered
// as JSON, or is a func(huma.Context) that writes the answer itself.
func register[I, O any](s *Server, ep endpoint, do func(context.Context, *I) (*O, error)) {
	handle(s, s.operation(ep), do)
}

// handle is register for an operation that is partly described by hand. What is
// particular to I and O is only the call: all else is compiled once for all endpoints.
func handle[I, O any](s *Server, op *huma.Operation, do func(context.Context, *I) (*O, error)) {
	s.handle(op, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		return do(ctx, in.(*I))
	})
}

// handle describes an operation, and serves it by do, which is given a pointer to an
// in and returns one to an out.
func (s *Server) handle(op *huma.Operation, in, out reflect.Type, do func(context.Context, any) (any, error)) {
	schemas := s.api.OpenAPI().Components.Schemas
	takes := describeInput(op, in, schemas)
	describeOutput(op, out, schemas)
	describeErrors(op, schemas)
	s.api.OpenAPI().AddOperation(op)
	s.api.Adapter().Handle(op, op.Middlewares.Handler(func(hc huma.Context) {
		got, err := takes.read(s.api, hc)
		if err == nil {
			got, err = do(hc.Context(), got)
		}
		if err != nil {
			s.fail(hc, err)
			return
		}
		s.answer(hc, got)
	}))
}

// input tells how to read an endpoint's input from a request.
type input struct {
	of       reflect.Type
	op       *huma.Operation
	params   []param
	defaults []param      // fields of the body that have a default
	body     []int        // index of the field Body; nil: there is none
	raw      []int        // index of the field RawBody; nil: there is none
	schema   *huma.Schema // which the body must fit
}

// param is a field of an input that is read from a text.
type param struct {
	at       []int  // index of the field
	in, name string // path, query or header
	required bool
	other    string // its value where none is given
	schema   *huma.Schema
}

// describeInput adds parameters and body to an operation.
func describeInput(op *huma.Operation, t reflect.Type, schemas huma.Registry) input {
	in := input{of: t, op: op}
	for _, f := range fieldsOf(t) {
		if p, ok := paramOf(f, schemas); ok {
			in.params = append(in.params, p)
			op.Parameters = append(op.Parameters, p.describe())
		}
	}
	if f, ok := t.FieldByName("Body"); ok {
		in.body, in.schema, in.defaults = f.Index, huma.SchemaFromField(schemas, f, hint(t, op.OperationID+"Request")), defaultsOf(f)
		in.schema.PrecomputeMessages()
		op.RequestBody = &huma.RequestBody{
			Required: f.Type.Kind() != reflect.Pointer && f.Type.Kind() != reflect.Interface,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: in.schema}},
		}
	}
	if f, ok := t.FieldByName("RawBody"); ok {
		in.raw = f.Index
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			f.Tag.Get("contentType"): {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}
	}
	return in
}

// fieldsOf are the fields of a struct and of what is embedded in it, with their index
// in the whole; also those that a field around them hides.
func fieldsOf(t reflect.Type, at ...int) (all []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		f.Index = append(slices.Clone(at), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			all = append(all, fieldsOf(f.Type, f.Index...)...)
		} else {
			all = append(all, f)
		}
	}
	return all
}

// paramOf returns the parameter that a field is, if it is one.
func paramOf(f reflect.StructField, schemas huma.Registry) (param, bool) {
	for _, in := range []string{"path", "query", "header"} {
		if name := f.Tag.Get(in); name != "" {
			required := in == "path" || f.Tag.Get("required") == "true"
			return param{f.Index, in, name, required, f.Tag.Get("default"), huma.SchemaFromField(schemas, f, "")}, true
		}
	}
	return param{}, false
}

func (p param) describe() *huma.Param {
	d := &huma.Param{Name: p.name, In: p.in, Description: p.schema.Description, Required: p.required, Schema: p.schema}
	if p.in == "query" {
		d.Explode = new(bool) // no list of values
	}
	return d
}

// defaultsOf are the fields of a body, and of what is embedded in it, with a default.
func defaultsOf(body reflect.StructField) (all []param) {
	if body.Type.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fieldsOf(body.Type, body.Index...) {
		if other := f.Tag.Get("default"); other != "" {
			all = append(all, param{at: f.Index, other: other})
		}
	}
	return all
}

// describeOutput adds the response of a success, unless it is described by hand.
func describeOutput(op *huma.Operation, t reflect.Type, schemas huma.Registry) {
	if op.Responses != nil {
		return
	}
	body, ok := t.FieldByName("Body")
	if !ok {
		panic(t.String() + " has no Body to answer with")
	}
	schema := huma.SchemaFromField(schemas, body, hint(t, op.OperationID+"Response"))
	op.Responses = map[string]*huma.Response{"200": {
		Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
}

// hint is what the schema of a type's Body is called where it has no name of its own.
func hint(t reflect.Type, other string) string {
	if t.Name() == "" {
		return other
	}
	return t.Name() + "Body"
}

// describeErrors adds what an operation answers when it fails.
func describeErrors(op *huma.Operation, schemas huma.Registry) {
	schema := schemas.Schema(reflect.TypeFor[huma.ErrorModel](), true, "ErrorModel")
	content := map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}
	if len(op.Errors) == 0 {
		op.Responses["default"] = &huma.Response{Description: "Error", Content: content}
		return
	}
	if len(op.Parameters) > 0 || op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil {
		op.Errors = append(op.Errors, http.StatusUnprocessableEntity)
	}
	op.Errors = append(op.Errors, http.StatusInternalServerError)
	for _, status := range op.Errors {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: content}
	}
}

// reading is what is found wrong while an input is read.
type reading struct {
	api    huma.API
	hc     huma.Context
	path   *huma.PathBuffer
	wrong  huma.ValidateResult
	status int // of the answer if anything is wrong
}

// read returns a pointer to a new input, checked against its schemas. All that is
// wrong with a request is in the error, not only the first.
func (in *input) read(api huma.API, hc huma.Context) (any, error) {
	r := &reading{api: api, hc: hc, path: huma.NewPathBuffer(nil, 0), status: http.StatusUnprocessableEntity}
	v := reflect.New(in.of)
	for _, p := range in.params {
		r.param(v.Elem().FieldByIndex(p.at), p)
	}
	in.unknown(r)
	if in.op.RequestBody != nil {
		if err := r.body(v.Elem(), in); err != nil {
			return nil, err
		}
	}
	if len(r.wrong.Errors) > 0 {
		return nil, huma.NewError(r.status, "validation failed", r.shown()...)
	}
	return v.Interface(), nil
}

// unknown finds parameters that an endpoint of our own does not have. Clients of mem0 send
// many that mean nothing here.
func (in *input) unknown(r *reading) {
	if slices.Contains(in.op.Tags, mem0Tag) {
		return
	}
	u := r.hc.URL()
	for name := range u.Query() {
		if !slices.ContainsFunc(in.params, func(p param) bool { return p.in == "query" && p.name == name }) {
			r.wrong.Errors = append(r.wrong.Errors, &huma.ErrorDetail{Message: "unexpected parameter", Location: "query." + clip(name, 100)})
		}
	}
}

// mostWrong is how many faults of one request are told.
const mostWrong = 20

// shown is what is told of the faults: not so many that an answer grows with the request,
// and no value but a short one.
func (r *reading) shown() []error {
	all := r.wrong.Errors[:min(len(r.wrong.Errors), mostWrong)]
	for _, err := range all {
		d, ok := err.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		switch v := d.Value.(type) {
		case string:
			if len(v) > 100 {
				d.Value = nil
			}
		case map[string]any, []any:
			d.Value = nil
		}
	}
	return all
}

// param reads one parameter into its field.
func (r *reading) param(f reflect.Value, p param) {
	r.path.Reset()
	r.path.Push(p.in)
	r.path.Push(p.name)
	text := r.text(p)
	if text == "" {
		if p.required {
			r.wrong.Add(r.path, "", "required "+p.in+" parameter is missing")
		}
		return
	}
	value, err := set(f, text)
	if err != nil {
		r.wrong.Add(r.path, text, err.Error())
		return
	}
	huma.Validate(r.api.OpenAPI().Components.Schemas, p.schema, r.path, huma.ModeWriteToServer, value, &r.wrong)
}

// text is what a request says for a parameter.
func (r *reading) text(p param) (text string) {
	switch p.in {
	case "path":
		text = r.hc.Param(p.name)
	case "query":
		text = r.hc.Query(p.name)
	case "header":
		text = r.hc.Header(p.name)
	}
	if text == "" {
		return p.other
	}
	return text
}

// set gives a field the value that a text stands for, and returns that.
func set(f reflect.Value, text string) (any, error) {
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
		return text, nil
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errors.New("invalid integer")
		}
		f.SetInt(n)
		return n, nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("invalid boolean")
		}
		f.SetBool(b)
		return b, nil
	}
	panic("a parameter cannot be a " + f.Type().String())
}

// body reads the body into its field. What ends the reading is returned; what is
// wrong in a body that was read is noted.
func (r *reading) body(v reflect.Value, in *input) error {
	data, err := r.bytes(in.op)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		if in.op.RequestBody.Required {
			return huma.NewError(http.StatusBadRequest, "request body is required", r.wrong.Errors...)
		}
		return nil
	}
	if in.raw != nil {
		v.FieldByIndex(in.raw).SetBytes(data)
		return nil
	}
	if !r.fits(data, in.schema) {
		return nil
	}
	if err := r.unmarshal(data, v.FieldByIndex(in.body).Addr().Interface()); err != nil {
		r.wrong.Errors = append(r.wrong.Errors, &huma.ErrorDetail{Location: "body", Message: err.Error()})
		return nil
	}
	for _, p := range in.defaults {
		if f := v.FieldByIndex(p.at); f.IsZero() {
			if _, err := set(f, p.other); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytes reads the body.
func (r *reading) bytes(op *huma.Operation) ([]byte, error) {
	_ = r.hc.SetReadDeadline(time.Now().Add(op.BodyReadTimeout)) // where there are deadlines
	data, err := io.ReadAll(io.LimitReader(r.hc.BodyReader(), op.MaxBodyBytes))
	if int64(len(data)) == op.MaxBodyBytes {
		return nil, huma.NewError(http.StatusRequestEntityTooLarge, "request body is too large limit="+strconv.FormatInt(op.MaxBodyBytes, 10)+" bytes", r.wrong.Errors...)
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return nil, huma.NewError(http.StatusRequestTimeout, "request body read timeout", r.wrong.Errors...)
	}
	if err != nil {
		return nil, huma.NewError(http.StatusInternalServerError, "cannot read request body", err)
	}
	return data, nil
}

// fits says whether a body is JSON that fits its schema.
func (r *reading) fits(data []byte, schema *huma.Schema) bool {
	var parsed any
	if err := r.unmarshal(data, &parsed); err != nil {
		r.status = http.StatusBadRequest
		if errors.Is(err, huma.ErrUnknownContentType) {
			r.status = http.StatusUnsupportedMediaType
		}
		r.wrong.Errors = append(r.wrong.Errors, &huma.ErrorDetail{Location: "body", Message: err.Error()})
		return false
	}
	before := len(r.wrong.Errors)
	r.path.Reset()
	r.path.Push("body")
	huma.Validate(r.api.OpenAPI().Components.Schemas, schema, r.path, huma.ModeWriteToServer, parsed, &r.wrong)
	return len(r.wrong.Errors) == before
}

func (r *reading) unmarshal(data []byte, to any) error {
	return r.api.Unmarshal(r.hc.Header("Content-Type"), data, to)
}

// answer writes what an endpoint returned.
func (s *Server) answer(hc huma.Context, out any) {
	body := reflect.ValueOf(out).Elem().FieldByName("Body").Interface()
	if stream, ok := body.(func(huma.Context)); ok {
		stream(hc)
		return
	}
	s.write(hc, http.StatusOK, body)
}

// fail writes what the caller sees of an error.
func (s *Server) fail(hc huma.Context, err error) {
	shown := s.problem(hc.Context(), err)
	if with, ok := errors.AsType[huma.HeadersError](shown); ok {
		for name, values := range with.GetHeaders() {
			for _, v := range values {
				hc.AppendHeader(name, v)
			}
		}
	}
	body, _ := errors.AsType[huma.StatusError](shown)
	s.write(hc, body.GetStatus(), body)
}

// write sends a value in the format that the caller accepts. It panics where that
// breaks off in the middle: breaking the connection tells that something is missing.
func (s *Server) write(hc huma.Context, status int, body any) {
	format, err := s.api.Negotiate(hc.Header("Accept"))
	if err != nil {
		panic(err)
	}
	if own, ok := body.(huma.ContentTypeFilter); ok {
		format = own.ContentType(format)
	}
	hc.SetHeader("Content-Type", format)
	hc.SetStatus(status)
	if err := s.api.Marshal(hc.BodyWriter(), format, body); err != nil && hc.Context().Err() == nil {
		panic(err)
	}
}
