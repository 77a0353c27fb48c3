package enum Scan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// The high bit of each byte that is a control character, DEL, or not ASCII. Bits above the first are unreliable.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let control = (word &- 0x2020_2020_2020_2020) & ~word
    let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
    return (control | ((delete &- ones) & ~delete) | word) & tops
  }

  @inline(__always)
  private static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & tops
  }

  /// The first position from `at` whose byte is a control character, DEL, not ASCII, or one of the two given.
  @inline(__always)
  static func text(
    _ base: UnsafePointer<UInt8>, from at: Int, to end: Int, stopAt first: UInt8, _ second: UInt8
  ) -> Int {
    var at = at
    while at + 8 <= end {
      let word = KeyHash.load64(base + at)
      let hits = special(word) | equal(word, first) | equal(word, second)
      if hits != 0 { return at + hits.trailingZeroBitCount >> 3 }
      at += 8
    }
    while at < end {
      let byte = base[at]
      if byte < 0x20 || byte >= 0x7F || byte == first || byte == second { break }
      at += 1
    }
    return at
  }

  /// The length of the well-formed UTF-8 sequence of a scalar that is not ASCII, or 0.
  static func scalarLength(_ base: UnsafePointer<UInt8>, at: Int, end: Int) -> Int {
    let lead = base[at]
    func continuation(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
      at + offset < end && base[at + offset] >= low && base[at + offset] <= high
    }
    switch lead {
    case 0xC2...0xDF: return continuation(1) ? 2 : 0
    case 0xE0: return continuation(1, 0xA0) && continuation(2) ? 3 : 0
    case 0xED: return continuation(1, 0x80, 0x9F) && continuation(2) ? 3 : 0
    case 0xE1...0xEF: return continuation(1) && continuation(2) ? 3 : 0
    case 0xF0: return continuation(1, 0x90) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF1...0xF3: return continuation(1) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF4: return continuation(1, 0x80, 0x8F) && continuation(2) && continuation(3) ? 4 : 0
    default: return 0
    }
  }
}

extension Scan {
  /// Whether a text has a byte.
  package static func contains(_ byte: UInt8, in text: [UInt8]) -> Bool {
    text.withUnsafeBytes { text in
      var at = 0
      while at + 8 <= text.count {
        if equal(text.loadUnaligned(fromByteOffset: at, as: UInt64.self), byte) != 0 { return true }
        at += 8
      }
      return text[at...].contains(byte)
    }
  }

  /// The number of bytes that are the same at the beginning, and at the end after them.
  package static func commonEnds(_ a: [UInt8], _ b: [UInt8]) -> (prefix: Int, suffix: Int) {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        let prefix = commonPrefix(a, b)
        return (prefix, commonSuffix(a, b, from: prefix))
      }
    }
  }

  /// The number of bytes that are the same at the beginning.
  package static func commonPrefix(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in commonPrefix(a, b) } }
  }

  /// The number of bytes that are the same at the beginning.
  static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    var at = 0
    while at + 32 <= count, areSame(a, at, b, at) { at += 32 }
    while at + 8 <= count {
      let x = a.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      guard x == b.loadUnaligned(fromByteOffset: at, as: UInt64.self) else { break }
      at += 8
    }
    while at < count, a[at] == b[at] { at += 1 }
    return at
  }

  /// The number of bytes that are the same at the end, not counting those before `start`.
  static func commonSuffix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, from start: Int) -> Int {
    let count = min(a.count, b.count) - start
    var done = 0
    while done + 32 <= count, areSame(a, a.count - done - 32, b, b.count - done - 32) { done += 32 }
    while done + 8 <= count {
      let x = a.loadUnaligned(fromByteOffset: a.count - done - 8, as: UInt64.self)
      guard x == b.loadUnaligned(fromByteOffset: b.count - done - 8, as: UInt64.self) else { break }
      done += 8
    }
    while done < count, a[a.count - done - 1] == b[b.count - done - 1] { done += 1 }
    return done
  }

  /// Whether 32 bytes are the same.
  @inline(__always)
  private static func areSame(
    _ a: UnsafeRawBufferPointer, _ i: Int, _ b: UnsafeRawBufferPointer, _ j: Int
  ) -> Bool {
    func difference(_ offset: Int) -> UInt64 {
      a.loadUnaligned(fromByteOffset: i + offset, as: UInt64.self)
        ^ b.loadUnaligned(fromByteOffset: j + offset, as: UInt64.self)
    }
    return difference(0) | difference(8) | difference(16) | difference(24) == 0
  }
}

extension Scan {
  /// Writes a text as it is in a JSON string, with an escape for each quote, backslash and control character.
  ///
  /// - Parameter buffer: It has room for six bytes for each of the text, and for eight more.
  /// - Returns: The number of bytes written.
  package static func escape(_ text: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutablePointer<UInt8>) -> Int {
    guard let base = text.baseAddress else { return 0 }
    var end = buffer
    func put(_ byte: UInt8) {
      end.pointee = byte
      end += 1
    }
    var at = 0
    while at < text.count {
      if at + 8 <= text.count {
        // Whole words, of which the next one overwrites what follows the first special byte.
        let bytes = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(end).storeBytes(of: bytes, as: UInt64.self)
        let word = UInt64(littleEndian: bytes)
        let hits = special(word) & ~word | equal(word, Byte.quote) | equal(word, Byte.backslash)
        let count = hits == 0 ? 8 : hits.trailingZeroBitCount >> 3
        at += count
        end += count
        if count == 8 { continue }
      }
      let byte = base[at]
      at += 1
      switch byte {
      case Byte.quote, Byte.backslash:
        put(Byte.backslash)
        put(byte)
      case Byte.newline:
        put(Byte.backslash)
        put(UInt8(ascii: "n"))
      case 0..<0x20, 0x7F:
        for byte in "\\u00".utf8 { put(byte) }
        for digit in [byte >> 4, byte & 15] { put(digit < 10 ? 0x30 + digit : 0x57 + digit) }
      default: put(byte)
      }
    }
    return end - buffer
  }

  /// The text that ``escape(_:into:)`` has written; `nil` for an escape that it does not write.
  package static func unescape(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var isValid = true
    // Whole words, of which the next one overwrites what follows a backslash.
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count + 8) { buffer, count in
      let start = UnsafeMutableRawPointer(buffer.baseAddress!)
      var at = 0
      while at < text.count {
        if at + 8 <= text.count {
          let word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
          start.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
          let hits = equal(UInt64(littleEndian: word), Byte.backslash)
          let plain = hits == 0 ? 8 : hits.trailingZeroBitCount >> 3
          at += plain
          count += plain
          if plain == 8 { continue }
        }
        var byte = text[at]
        at += 1
        if byte == Byte.backslash {
          guard at < text.count, let (meant, length) = escaped(text, at) else {
            isValid = false
            return
          }
          byte = meant
          at += length
        }
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
      }
    }
    return isValid ? bytes : nil
  }

  /// The byte for which what follows a backslash stands, and the length of that.
  private static func escaped(_ text: UnsafeRawBufferPointer, _ at: Int) -> (byte: UInt8, length: Int)? {
    switch text[at] {
    case Byte.quote, Byte.backslash: return (text[at], 1)
    case UInt8(ascii: "n"): return (Byte.newline, 1)
    case UInt8(ascii: "u"):
      guard at + 5 <= text.count,
        let value = UInt8(String(decoding: text[(at + 1)..<(at + 5)], as: UTF8.self), radix: 16), value < 0x80
      else { return nil }
      return (value, 5)
    default: return nil
    }
  }
}
