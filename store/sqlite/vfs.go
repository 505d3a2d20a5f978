package sqlite

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"daybook"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite does not notice a flipped byte inside a page. This file registers a
// VFS that is SQLite's own with a few methods changed: pages of the database file
// get a checksum in their last bytes when they are written, and the checksum is
// verified when they are read. The write-ahead log has checksums of its own; how far
// it has come is kept in its mark.

const (
	vfsName  = "daybook"
	pageSize = 4096
	// reserved bytes at the end of each page: CRC-32C over the rest of the page
	// and the page's offset, little endian.
	reserved = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func pageSum(page []byte, offset int64) uint32 {
	var at [8]byte
	binary.LittleEndian.PutUint64(at[:], uint64(offset))
	return crc32.Update(crc32.Checksum(page[:len(page)-reserved], castagnoli), castagnoli, at[:])
}

func sealPage(page []byte, offset int64) {
	binary.LittleEndian.PutUint32(page[len(page)-reserved:], pageSum(page, offset))
}

// intact reports whether the page is as it was sealed. A page of zeros was
// never written; SQLite itself refuses to take one for a page with content.
func intact(page []byte, offset int64) bool {
	return binary.LittleEndian.Uint32(page[len(page)-reserved:]) == pageSum(page, offset) || allZero(page)
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// operation names what fault may interfere with.
type operation struct {
	name string // read, write, sync
	wal  bool   // on the write-ahead log, else on the database file
}

// fault lets a test fail file operations: a non-zero result is returned to
// SQLite instead of performing the operation.
var fault atomic.Pointer[func(operation) int32]

func faultCode(name string, wal bool) int32 {
	if f := fault.Load(); f != nil {
		return (*f)(operation{name, wal})
	}
	return lib.SQLITE_OK
}

// fileEvent is something that was done to a file of a home.
type fileEvent struct {
	name   string // write, sync, truncate, delete
	path   string
	offset int64 // of a write; the size that a truncation leaves
	data   []byte
}

// tap lets a test see what is done to files, in order.
var tap atomic.Pointer[func(fileEvent)]

func tell(e fileEvent) {
	if f := tap.Load(); f != nil {
		(*f)(e)
	}
}

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	readFunc  = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	writeFunc = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
	traitFunc = func(tls *libc.TLS, file uintptr) int32
	sizeFunc  = func(tls *libc.TLS, file uintptr, size int64) int32
	nameFunc  = func(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32
)

// base holds the methods of SQLite's own VFS that ours call.
var base struct {
	open   openFunc
	delete nameFunc
	// markers of the logs that are open, and the paths of all files, by their file.
	markers, paths sync.Map
	// methods that base.open gives to a file, and the two altered copies of
	// them that we hand on; one set per table of originals, filled as met.
	mu     sync.Mutex
	tables map[tableKey]uintptr
	kept   []any
}

type tableKey struct {
	original uintptr
	wal      bool
}

// at reinterprets an address of memory that SQLite owns.
func at[T any](addr uintptr) *T { return *(**T)(unsafe.Pointer(&addr)) }

// code turns a function into the address form that the translated C code calls;
// funcOf is its inverse. SQLite's memory is invisible to the garbage collector,
// so functions that are handed out are kept here. Callers hold base.mu.
func code[F any](f F) uintptr {
	base.kept = append(base.kept, f)
	return *(*uintptr)(unsafe.Pointer(&f))
}

func funcOf[F any](addr uintptr) F { return *(*F)(unsafe.Pointer(&addr)) }

// registerVFS makes the VFS known to SQLite, once per process.
var registerVFS = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	original := lib.Xsqlite3_vfs_find(tls, 0)
	if original == 0 {
		return daybook.Errorf(daybook.Internal, "SQLite has no default VFS on this system")
	}
	name, err := libc.CString(vfsName)
	if err != nil {
		return err
	}
	ours := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	if ours == 0 {
		return daybook.Errorf(daybook.Unavailable, "no memory for the SQLite VFS")
	}
	v := at[lib.Tsqlite3_vfs](ours)
	*v = *at[lib.Tsqlite3_vfs](original)
	base.open, base.delete = funcOf[openFunc](v.FxOpen), funcOf[nameFunc](v.FxDelete)
	base.tables = map[tableKey]uintptr{}
	v.FpNext, v.FzName = 0, name
	base.mu.Lock()
	v.FxOpen, v.FxDelete = code(openFunc(openFile)), code(nameFunc(deleteFile))
	base.mu.Unlock()
	if rc := lib.Xsqlite3_vfs_register(tls, ours, 0); rc != lib.SQLITE_OK {
		return daybook.Errorf(daybook.Internal, "register the SQLite VFS: code %d", rc)
	}
	return nil
})

// openFile opens as SQLite does and then exchanges the methods of database and
// log files.
func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := base.open(tls, vfs, name, file, flags, outFlags)
	f := at[lib.Tsqlite3_file](file)
	wal := flags&lib.SQLITE_OPEN_WAL != 0
	if rc != lib.SQLITE_OK || f.FpMethods == 0 || (!wal && flags&lib.SQLITE_OPEN_MAIN_DB == 0) {
		return rc
	}
	table := altered(tls, f.FpMethods, wal)
	if table == 0 {
		return lib.SQLITE_NOMEM
	}
	f.FpMethods = table
	base.paths.Store(file, libc.GoString(name))
	if wal {
		base.markers.Store(file, &marker{path: markPath(libc.GoString(name))})
	}
	return lib.SQLITE_OK
}

// markPath is the mark of a log.
func markPath(log string) string { return strings.TrimSuffix(log, "-wal") + markSuffix }

// deleteFile deletes as SQLite does. A log is deleted when all of it is in the
// database file; the mark then no longer asks for it.
func deleteFile(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32 {
	if log := libc.GoString(name); strings.HasSuffix(log, "-wal") {
		m := &marker{path: markPath(log)}
		defer m.close()
		if m.begins([8]byte{}) != nil {
			return lib.SQLITE_IOERR_DELETE
		}
	}
	tell(fileEvent{name: "delete", path: libc.GoString(name)})
	return base.delete(tls, vfs, name, syncDir)
}

func pathOf(file uintptr) string {
	path, _ := base.paths.Load(file)
	return path.(string)
}

func markerOf(file uintptr) *marker {
	m, _ := base.markers.Load(file)
	return m.(*marker)
}

// altered returns a copy of a method table in which reads, writes and syncs are
// ours, or 0 when there is no memory.
func altered(tls *libc.TLS, original uintptr, wal bool) uintptr {
	base.mu.Lock()
	defer base.mu.Unlock()
	key := tableKey{original, wal}
	if t, ok := base.tables[key]; ok {
		return t
	}
	t := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	if t == 0 {
		return 0
	}
	m := at[lib.Tsqlite3_io_methods](t)
	*m = *at[lib.Tsqlite3_io_methods](original)
	read, write, sync := funcOf[readFunc](m.FxRead), funcOf[writeFunc](m.FxWrite), funcOf[syncFunc](m.FxSync)
	failingSync := syncFunc(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if rc := faultCode("sync", wal); rc != lib.SQLITE_OK {
			return rc
		}
		rc := sync(tls, file, flags)
		if rc == lib.SQLITE_OK && tap.Load() != nil {
			tell(fileEvent{name: "sync", path: pathOf(file)})
		}
		return rc
	})
	write = told(write)
	m.FxClose = code(closing(funcOf[traitFunc](m.FxClose), wal))
	if wal {
		m.FxWrite = code(marking(failing("write", wal, write)))
		m.FxSync = code(markingSync(failingSync, write))
		m.FxTruncate = code(markingTruncate(funcOf[sizeFunc](m.FxTruncate)))
	} else {
		read = verifying(read)
		m.FxWrite, m.FxSync = code(failing("write", wal, sealing(write))), code(failingSync)
	}
	m.FxRead = code(failing("read", wal, read))
	// SQLite reads long values in pieces, past the checksum, where a file allows
	// it; ours does not.
	traits := funcOf[traitFunc](m.FxDeviceCharacteristics)
	m.FxDeviceCharacteristics = code(traitFunc(func(tls *libc.TLS, file uintptr) int32 {
		return traits(tls, file) &^ lib.SQLITE_IOCAP_SUBPAGE_READ
	}))
	base.tables[key] = t
	return t
}

func failing(name string, wal bool, do readFunc) readFunc {
	return func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		if rc := faultCode(name, wal); rc != lib.SQLITE_OK {
			return rc
		}
		return do(tls, file, buf, n, offset)
	}
}

// sealing writes pages with their checksum. Only whole pages are written to a
// database file.
func sealing(write writeFunc) writeFunc {
	return func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		if n == pageSize {
			sealPage(unsafe.Slice(at[byte](buf), n), offset)
		}
		return write(tls, file, buf, n, offset)
	}
}

// fileHeader is what SQLite reads of a file before it knows the page size.
const fileHeader = 100

// verifying refuses pages that are not as they were written, or not there.
// Shorter reads are SQLite looking at the file's header, which it reads again
// with the whole page; any other size comes from a damaged header.
func verifying(read readFunc) readFunc {
	return func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		rc := read(tls, file, buf, n, offset)
		if offset+int64(n) <= fileHeader {
			return rc
		}
		if n != pageSize || rc == lib.SQLITE_IOERR_SHORT_READ {
			return lib.SQLITE_IOERR_DATA
		}
		if rc == lib.SQLITE_OK && !intact(unsafe.Slice(at[byte](buf), n), offset) {
			return lib.SQLITE_IOERR_DATA
		}
		return rc
	}
}

// marking lets the mark follow what is written to a log. A log that begins again has
// its mark first.
func marking(write writeFunc) writeFunc {
	return func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		m, b := markerOf(file), unsafe.Slice(at[byte](buf), n)
		if offset == 0 && n == walHeader && m.begins([8]byte(b[16:24])) != nil {
			return lib.SQLITE_IOERR_WRITE
		}
		rc := write(tls, file, buf, n, offset)
		if rc == lib.SQLITE_OK {
			m.wrote(b, offset)
		} else {
			m.pending = nil
		}
		return rc
	}
}

// markingSync moves the mark when a commit was synced. One that could not be synced is
// spoiled, so that it is never taken for one that was acknowledged and lost.
func markingSync(sync syncFunc, write writeFunc) syncFunc {
	return func(tls *libc.TLS, file uintptr, flags int32) int32 {
		m := markerOf(file)
		failed := m.pending
		rc := sync(tls, file, flags)
		if rc == lib.SQLITE_OK {
			if m.synced() == nil {
				return rc
			}
			rc = lib.SQLITE_IOERR_FSYNC
		}
		if failed != nil {
			m.pending = nil
			if zeros := libc.Xcalloc(tls, 1, frameHeader); zeros != 0 {
				write(tls, file, zeros, frameHeader, failed.offset)
				libc.Xfree(tls, zeros)
			}
		}
		return rc
	}
}

func markingTruncate(truncate sizeFunc) sizeFunc {
	return func(tls *libc.TLS, file uintptr, size int64) int32 {
		if size == 0 && markerOf(file).begins([8]byte{}) != nil {
			return lib.SQLITE_IOERR_TRUNCATE
		}
		tell(fileEvent{name: "truncate", path: pathOf(file), offset: size})
		return truncate(tls, file, size)
	}
}

func closing(closeFile traitFunc, wal bool) traitFunc {
	return func(tls *libc.TLS, file uintptr) int32 {
		if wal {
			markerOf(file).close()
			base.markers.Delete(file)
		}
		base.paths.Delete(file)
		return closeFile(tls, file)
	}
}

// told tells of what is written.
func told(write writeFunc) writeFunc {
	return func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		rc := write(tls, file, buf, n, offset)
		if rc == lib.SQLITE_OK && tap.Load() != nil {
			tell(fileEvent{"write", pathOf(file), offset, slices.Clone(unsafe.Slice(at[byte](buf), n))})
		}
		return rc
	}
}
