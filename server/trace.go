package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"daybook"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// NewTracing returns what sends traces to the collector that the usual variables of
// OpenTelemetry name, or nil where they name none. Spans go as JSON over HTTP, which
// every collector takes on its HTTP port; docs/http.md lists the variables.
func NewTracing(getenv func(string) string, version string) (*sdktrace.TracerProvider, error) {
	first := func(names ...string) string {
		for _, n := range names {
			if v := getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	endpoint := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint == "" && base != "" {
		endpoint = strings.TrimRight(base, "/") + "/v1/traces"
	}
	if endpoint == "" && getenv("OTEL_TRACES_EXPORTER") == "otlp" {
		endpoint = "http://localhost:4318/v1/traces"
	}
	if endpoint == "" || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, daybook.Errorf(daybook.Invalid, "OTEL_EXPORTER_OTLP_ENDPOINT %q is no http address", endpoint)
	}
	if first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc" {
		return nil, daybook.Errorf(daybook.Invalid, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces are sent over HTTP only: name the collector's HTTP port (4318) and leave the protocol out")
	}
	x := &exporter{endpoint: endpoint, headers: exportHeaders(first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")), client: &http.Client{Timeout: 10 * time.Second}}
	about, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "daybook"), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(x), sdktrace.WithResource(about)), nil
}

// exportHeaders reads "name=value,name=value".
func exportHeaders(list string) map[string]string {
	headers := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		if plain, err := url.QueryUnescape(strings.TrimSpace(value)); err == nil {
			headers[strings.TrimSpace(name)] = plain
		}
	}
	return headers
}

// exporter sends spans as OTLP's JSON.
type exporter struct {
	endpoint string
	headers  map[string]string
	client   *http.Client
}

// Shutdown implements sdktrace.SpanExporter.
func (x *exporter) Shutdown(context.Context) error { x.client.CloseIdleConnections(); return nil }

// ExportSpans implements sdktrace.SpanExporter.
func (x *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(otlpOf(spans))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range x.headers {
		req.Header.Set(k, v)
	}
	res, err := x.client.Do(req)
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "send traces: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode/100 != 2 {
		return daybook.Errorf(daybook.Unavailable, "send traces: the collector answers %s", res.Status)
	}
	return nil
}

// The names of these types are OTLP's.
type (
	otlpTraces struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource struct {
			Attributes []otlpAttr `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []otlpScope `json:"scopeSpans"`
	}
	otlpScope struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpSpan struct {
		TraceID      string     `json:"traceId"`
		SpanID       string     `json:"spanId"`
		ParentSpanID string     `json:"parentSpanId,omitempty"`
		Name         string     `json:"name"`
		Kind         int        `json:"kind"`
		Start        string     `json:"startTimeUnixNano"`
		End          string     `json:"endTimeUnixNano"`
		Attributes   []otlpAttr `json:"attributes,omitempty"`
		Status       struct {
			Code    int    `json:"code,omitempty"`
			Message string `json:"message,omitempty"`
		} `json:"status"`
	}
	otlpAttr struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

func otlpOf(spans []sdktrace.ReadOnlySpan) otlpTraces {
	var all otlpResource
	all.Resource.Attributes = otlpAttrs(spans[0].Resource().Attributes())
	var scope otlpScope
	scope.Scope.Name = spans[0].InstrumentationScope().Name
	for _, s := range spans {
		o := otlpSpan{
			TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(), Name: s.Name(), Kind: int(s.SpanKind()),
			Start: strconv.FormatInt(s.StartTime().UnixNano(), 10), End: strconv.FormatInt(s.EndTime().UnixNano(), 10), Attributes: otlpAttrs(s.Attributes()),
		}
		if s.Parent().SpanID().IsValid() {
			o.ParentSpanID = s.Parent().SpanID().String()
		}
		switch s.Status().Code { // OTLP has the two the other way round
		case codes.Ok:
			o.Status.Code = 1
		case codes.Error:
			o.Status.Code, o.Status.Message = 2, s.Status().Description
		}
		scope.Spans = append(scope.Spans, o)
	}
	all.ScopeSpans = []otlpScope{scope}
	return otlpTraces{[]otlpResource{all}}
}

func otlpAttrs(attrs []attribute.KeyValue) (all []otlpAttr) {
	for _, a := range attrs {
		value := map[string]any{"stringValue": a.Value.String()}
		if a.Value.Type() == attribute.INT64 {
			value = map[string]any{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		}
		all = append(all, otlpAttr{string(a.Key), value})
	}
	return all
}
