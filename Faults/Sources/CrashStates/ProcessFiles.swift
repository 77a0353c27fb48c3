/// What a traced process has open, as far as its calls say.
///
/// A class, since threads share it; `copy` is for `fork`.
final class ProcessFiles {
  /// An open file description, open(2): what `dup` and `fork` share.
  final class Description {
    let place: Place
    var offset = 0
    let appends: Bool
    let isWritable: Bool

    init(_ place: Place, appends: Bool = false, isWritable: Bool = false) {
      self.place = place
      self.appends = appends
      self.isWritable = isWritable
    }
  }

  /// An inode of the model, or a path outside of what is recorded.
  enum Place: Equatable {
    case inside(Int)
    case outside(String)
  }

  struct Descriptor {
    var description: Description
    var closesOnExec: Bool
  }

  /// chdir(2) is shared between threads, and between them alone.
  final class WorkingDirectory {
    var place: Place
    init(_ place: Place) { self.place = place }
  }

  var descriptors: [Int: Descriptor] = [:]
  var workingDirectory: WorkingDirectory

  init(workingDirectory: WorkingDirectory) { self.workingDirectory = workingDirectory }

  func copy() -> ProcessFiles {
    let copy = ProcessFiles(workingDirectory: WorkingDirectory(workingDirectory.place))
    copy.descriptors = descriptors
    return copy
  }

  func duplicate(_ old: Int, to new: Int, closesOnExec: Bool) {
    guard let descriptor = descriptors[old] else { return }
    descriptors[new] = Descriptor(description: descriptor.description, closesOnExec: closesOnExec)
  }
}
