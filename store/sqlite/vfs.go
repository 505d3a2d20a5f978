package sqlite

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"unsafe"

	"daybook"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite does not notice a flipped byte inside a page. This file registers a
// VFS that is SQLite's own with two methods changed: pages of the database file
// get a checksum in their last bytes when they are written, and the checksum is
// verified when they are read. The write-ahead log has checksums of its own.

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

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	readFunc  = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	writeFunc = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
	traitFunc = func(tls *libc.TLS, file uintptr) int32
)

// base holds the methods of SQLite's own VFS that ours call.
var base struct {
	open openFunc
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
	base.open = funcOf[openFunc](v.FxOpen)
	base.tables = map[tableKey]uintptr{}
	v.FpNext, v.FzName = 0, name
	base.mu.Lock()
	v.FxOpen = code(openFunc(openFile))
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
	return lib.SQLITE_OK
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
	read, write := funcOf[readFunc](m.FxRead), funcOf[writeFunc](m.FxWrite)
	if !wal {
		read, write = verifying(read), sealing(write)
	}
	m.FxRead = code(failing("read", wal, read))
	m.FxWrite = code(failing("write", wal, write))
	sync := funcOf[syncFunc](m.FxSync)
	m.FxSync = code(syncFunc(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if rc := faultCode("sync", wal); rc != lib.SQLITE_OK {
			return rc
		}
		return sync(tls, file, flags)
	}))
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
