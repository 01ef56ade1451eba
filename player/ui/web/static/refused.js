/** What the program refuses: the message is its sentence. `code` says why, for programs (`RefusalCode`); "" if the
 * program could not be asked. */
export class Refused extends Error {
  constructor(code, answer) {
    super(answer.error ?? code);
    this.code = code;
    this.answer = answer;
  }
}
