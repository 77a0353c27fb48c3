import Testing

@testable import SettingsFleet

/// Random plans against a model: `SETTINGS_FLEET=full` runs 500 walks, `SETTINGS_FLEET_SEED` repeats one.
struct ApplyModelTests {
  typealias Tree = [FleetDocument: [Int: String]]

  /// What should be there, without keys, digests and transactions.
  private struct Model {
    var present: Tree = [:]
    /// What came from a directory last, and from which.
    var base: [FleetDocument: (source: String, texts: [Int: String])] = [:]

    enum Fate: Equatable { case keep, conflict, left, refuse, write, empty, delete }

    func fate(_ document: FleetDocument, _ texts: [Int: String], _ options: ApplyPlan.Options) -> Fate {
      let present = present[document] ?? [:]
      let newest = present.keys.max() ?? 0
      let isWanted = !texts.isEmpty
      if !isWanted, !options.prunes || base[document]?.source != options.source { return .keep }
      if !isWanted, options.signing != nil, present.allSatisfy({ $0.value == Self.empty($0.key) }) { return .keep }
      let differing = texts.filter { present[$0.key] != $0.value }
      if isWanted, differing.isEmpty, texts.keys.max()! >= newest { return .keep }
      let own = base[document].flatMap { $0.source == options.source ? $0.texts : nil }
      let isByHand = present.contains { version, text in
        guard let own else { return true }
        guard let former = own[version] else { return version == newest || differing[version] != nil }
        return former != text
      }
      if isByHand, let fate: Fate = options.take == nil ? .conflict : options.take == .theirs ? .left : nil {
        return fate
      }
      if isWanted { return (texts.keys.max() ?? 0) < newest ? .refuse : .write }
      return options.signing == nil ? .delete : .empty
    }

    static func empty(_ version: Int) -> String { version == 1 ? "" : "settings-version = \(version)\n" }
  }

  @Test func `random plans do what a model says, and then nothing`() throws {
    for seed in Seeds.list(short: 60, full: 500) { try Self.walk(seed) }
  }

  private static let documents = ["a/all", "a/group/web", "b/all", "b/host/h1"].map { FleetDocument($0)! }

  private static func walk(_ seed: UInt64) throws {
    var random = Numbers(seed: seed)
    let cluster = ModelCluster()
    var model = Model()
    var trees: [String: Tree] = ["main": [:], "other": [:]]
    let key = random.chance(30) ? Fixture.key : nil
    let signing = key.map { DocumentWriter.Signing(key: $0, millisecondsSince1970: 1) }
    for step in 1...25 {
      let failure: Comment = "SETTINGS_FLEET_SEED=\(seed), step \(step)"
      let document = random.pick(documents)
      let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: nil)
      let version = max(1, (model.present[document]?.keys.max() ?? 1) + (random.chance(15) ? 1 : 0))
      let text = "a = \(random.number(1...3))\n"
      switch random.number(0...9) {
      case 0...1:
        #expect(cluster.commit(try writer.write(Array(text.utf8), version: version, signing: signing)), failure)
        model.present[document, default: [:]][version] = text
      case 2:
        #expect(cluster.commit(try writer.remove()), failure)
        (model.present[document], model.base[document]) = (nil, nil)
      case 3...5:
        let name = random.chance(85) ? "main" : "other"
        if random.chance(20) {
          trees[name]![document] = nil
        } else {
          trees[name]![document, default: [:]][random.chance(90) ? version : random.number(1...3)] = text
        }
      case 6: trees["main"]![document] = model.present[document]
      default:
        var options = ApplyPlan.Options(source: random.chance(85) ? "main" : "other")
        (options.prunes, options.signing) = (random.chance(50), signing)
        options.take = random.pick([nil, nil, .ours, .theirs])
        options.trust = Trust([key?.verificationKey].compactMap(\.self))
        try check(trees[options.source]!, options, cluster, &model, failure)
      }
    }
  }

  private static func check(
    _ tree: Tree, _ options: ApplyPlan.Options, _ cluster: ModelCluster, _ model: inout Model, _ failure: Comment
  ) throws {
    let bytes = tree.mapValues { $0.mapValues { Array($0.utf8) } }
    let plan = ApplyPlan(of: bytes, in: cluster.snapshot(), options)
    var fates: [Model.Fate: Set<FleetDocument>] = [:]
    for document in documents {
      fates[model.fate(document, tree[document] ?? [:], options), default: []].insert(document)
    }
    #expect(Set(plan.conflicts.map(\.document)) == fates[.conflict] ?? [], failure)
    #expect(Set(plan.left) == fates[.left] ?? [], failure)
    #expect(Set(plan.refusals.map(\.document)) == fates[.refuse] ?? [], failure)
    #expect(
      Set(plan.steps.filter { $0.action == .remove }.map(\.document))
        == (fates[.delete] ?? []).union(fates[.empty] ?? []), failure)
    for batch in plan.batches(mostOperations: 20) {
      #expect(cluster.commit(try .joined(batch.map(\.transaction))), failure)
    }
    for document in fates[.delete] ?? [] { (model.present[document], model.base[document]) = (nil, nil) }
    for document in fates[.empty] ?? [] {
      model.present[document] = Dictionary(
        uniqueKeysWithValues: model.present[document]!.keys.map { ($0, Model.empty($0)) })
      model.base[document] = (options.source, model.present[document]!)
    }
    for (document, texts) in tree where !texts.isEmpty {
      let isKept = fates[.keep]?.contains(document) ?? false
      guard isKept || fates[.write]?.contains(document) ?? false else { continue }
      if isKept, let other = model.base[document]?.source, other != options.source { continue }
      model.present[document, default: [:]].merge(texts) { $1 }
      let former = model.base[document].flatMap { $0.source == options.source ? $0.texts : nil } ?? [:]
      model.base[document] = (options.source, former.merging(texts) { $1 })
    }
    let contents = FleetContents(cluster.snapshot())
    for document in documents {
      let found = contents.versions(of: document).mapValues { String(decoding: $0.text, as: UTF8.self) }
      #expect(found == model.present[document] ?? [:], failure)
    }
    #expect(ApplyPlan(of: bytes, in: cluster.snapshot(), options).isEmpty, failure)
  }
}
