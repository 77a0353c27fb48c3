import Glibc
import NIOCore
import PageAssets

/// The files of the page, which are embedded in the executable.
struct Assets: Sendable {
  /// A file as it is sent.
  struct Asset: Sendable {
    let type: String
    let body: ByteBuffer

    /// The file in the format of gzip; `nil` if there is no memory for it.
    var compressed: [UInt8]? { body.withUnsafeReadableBytes(Assets.compressed) }
  }

  /// A folder whose files are sent in place of the embedded ones, while the page is being developed.
  let folder: String?

  /// Makes the files available.
  ///
  /// - Parameter environment: Names the folder in `SETTINGS_PAGE_ASSETS`, which works in what `Scripts/build` makes, and in
  ///   a debug build: what is installed serves nothing but itself.
  init(environment: [String: String] = [:]) {
    #if DEBUG || DEVELOPMENT
      folder = environment["SETTINGS_PAGE_ASSETS"].flatMap { $0.isEmpty ? nil : $0 }
    #else
      folder = nil
    #endif
  }

  /// The paths of all files.
  static var paths: [String] { embedded.map { String(cString: $0.path) } }

  /// The file at a path; `nil` if there is none.
  func asset(at path: String) -> Asset? {
    guard let asset = Self.embedded.first(where: { String(cString: $0.path) == path }) else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    let bytes = folder.flatMap { Self.bytes(ofFile: "\($0)/\(name)") } ?? asset.bytes
    let type = name.hasSuffix(".js") ? "javascript" : name.hasSuffix(".css") ? "css" : "html"
    let sent = type == "html" ? Self.withPreloads(bytes) : Self.withoutComments(bytes)
    return Asset(type: "text/\(type); charset=utf-8", body: ByteBuffer(bytes: sent))
  }

  /// The page with a line for each script in place of the one for all: the browser asks for them at once, and not for
  /// each when another one names it.
  private static func withPreloads(_ bytes: [UInt8]) -> [UInt8] {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let sent = lines.flatMap { line in
      line.contains("/*.js") ? paths.filter { $0.hasSuffix(".js") }.map { line.replacing("/*.js", with: $0) } : [line]
    }
    return Array(sent.joined(separator: "\n").utf8)
  }

  /// A script or a style without the lines that are comments alone, which are for those who read the sources. The other
  /// lines keep their numbers.
  static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isInComment = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let text = line.drop { $0 == UInt8(ascii: " ") }
      if isInComment || text.starts(with: "/*".utf8) {
        isInComment = !text.suffix(2).elementsEqual("*/".utf8)
      } else if !text.starts(with: "//".utf8) {
        result += line
      }
      result.append(UInt8(ascii: "\n"))
    }
    result.removeLast()
    return result
  }

  /// Bytes in the format of gzip; `nil` if there is no memory for it.
  static func compressed(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    // More than zlib's 'compressBound', for what cannot be made smaller.
    let capacity = bytes.count + bytes.count / 8 + 512
    let result = [UInt8](unsafeUninitializedCapacity: capacity) { result, count in
      let source = bytes.bindMemory(to: UInt8.self)
      count = page_gzip(source.baseAddress, bytes.count, result.baseAddress, capacity)
    }
    return result.isEmpty ? nil : result
  }

  static var embedded: UnsafeBufferPointer<page_asset> {
    UnsafeBufferPointer(start: page_asset_list(), count: page_asset_count())
  }

  private static func bytes(ofFile path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
  }
}

extension page_asset {
  /// The text of the file.
  var bytes: [UInt8] { Array(String(cString: text).utf8) }
}
