/// What an edit has to achieve.
enum Change {
  case set(TOMLPath, TOMLValue)
  case remove(TOMLPath)
  case move(TOMLPath, TOMLPath)
  /// Removes a path from an element of an array of tables.
  case editElement(TOMLPath, Int, TOMLPath)
}
