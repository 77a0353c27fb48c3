import SettingsTools
import Testing

struct ChangeAnswerTests {
  @Test(
    arguments: [
      #"{"line":1,"ok":true,"key":"a.\"b c\"","changed":false}"#,
      #"{"line":2,"ok":true,"key":"a","value":{"b":[1,-0.5,1e+300,"2026-11-22",true],"c":18446744073709551615}}"#,
      #"{"line":3,"ok":true,"key":"a","value":"x","problem":"'a' is ignored."}"#,
      #"{"line":4,"ok":false,"status":2,"message":"The line is not an edit: it is not an object."}"#,
      #"{"line":5,"ok":false,"key":"a","message":"Not written, because line 4 is refused."}"#,
    ]) func `an answer is read as it is printed`(_ line: String)
  {
    let answers = ChangeAnswer.lines(Array("\(line)\n".utf8))
    #expect(answers.map(\.json.text) == [line.replacing("18446744073709551615", with: "\"18446744073709551615\"")])
  }

  @Test func `one that is nested deeper than JSON is read stays as it is`() {
    let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let line = #"{"line":7,"ok":true,"key":"a","value":{"b":\#(deep)}}"#
    let answers = ChangeAnswer.lines(Array("\(line)\nno answer\n".utf8))
    #expect(answers.map(\.line) == [7] && answers.map(\.text) == [Array(line.utf8)])
  }

  @Test func `one that is refused keeps the others from being written`() {
    var answers = ChangeAnswer.lines(
      Array(
        """
        {"line":1,"ok":true,"key":"a","changed":true}
        {"line":2,"ok":true,"key":"a","value":1}
        {"line":4,"ok":false,"key":"b","status":4,"message":"No."}
        """.utf8))
    answers.noteUnwritten()
    #expect(answers.refused?.line == 4)
    #expect(
      answers.map(\.json.text) == [
        #"{"line":1,"ok":false,"key":"a","message":"Not written, because line 4 is refused."}"#,
        #"{"line":2,"ok":true,"key":"a","value":1}"#, #"{"line":4,"ok":false,"key":"b","status":4,"message":"No."}"#,
      ])
  }
}
