# SPDX-License-Identifier: Apache-2.0
# The binary, certificates of authorities, and nothing else; it runs as a user without rights.
#
#     docker build -t daybook .     builds the binary from source
#     make image                    takes a binary that was built outside, and fetches no image
FROM golang:1.26 AS source
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG REVISION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION -X main.revision=$REVISION" -o /out/daybook ./cmd/daybook \
 && mkdir -p /out/home/daybook /out/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/

# 'make image' puts a folder in the place of this stage.
FROM scratch AS build
COPY --from=source /out/ /

FROM scratch
COPY --from=build /daybook /daybook
COPY --from=build /etc /etc
COPY --from=build --chown=65532:65532 /home /home
USER 65532:65532
ENV DAYBOOK_HOME=/home/daybook DAYBOOK_ADDR=0.0.0.0:7077 TMPDIR=/home/daybook
VOLUME /home/daybook
EXPOSE 7077
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s CMD ["/daybook", "doctor", "--server", "http://127.0.0.1:7077"]
ENTRYPOINT ["/daybook"]
CMD ["serve"]
