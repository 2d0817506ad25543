/** What was to be stored breaks a rule of the store; the message says which, in words for the person who sent it. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused'
}
