/** A message cut into its fixed texts and, between them, the parts that vary from one to the next. */
export interface MessageTemplate {
  /** One more than there are values. */
  texts: string[]
  values: string[]
}

/** What comes after so many characters tells no two messages apart, and is not shown. */
export const MESSAGE_LENGTH_MAX = 500

const QUOTED = /'[^'\n]{0,200}'(?!\w)|"[^"\n]{0,200}"(?!\w)|`[^`\n]{0,200}`(?!\w)|“[^”\n]{0,200}”|«[^»\n]{0,200}»/
const EMAIL = /(?<![.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}/
const UUID = /[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}(?!\w)/
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/
/** Decimals, addresses, and what is below 0. */
const NUMBER = /-?\d+(?:[.,:]\d+)+|-\d+/
const WITH_DIGIT = /[A-Za-z_]*\d\w*/
/** Where a variable part may begin: never within a word. Looking for mail addresses is slow, and seldom needed. */
const PLACE = placesOf(QUOTED, UUID, TIME, NUMBER, WITH_DIGIT)
const PLACE_OR_EMAIL = placesOf(QUOTED, EMAIL, UUID, TIME, NUMBER, WITH_DIGIT)

function placesOf(...parts: RegExp[]): RegExp {
  return new RegExp(`(?<!\\w)(?:${parts.map(({ source }) => source).join('|')})`, 'g')
}

const HEX = /^(?:0[xX][\da-fA-F]+|(?=.*[a-fA-F])[\da-fA-F]{6,})$/
/** Letters and digits that alternate, as in no word. */
const MIXED = /(?<!\d)\d+[A-Za-z]+\d+[A-Za-z]/
const LONG = /^(?=.*[A-Za-z]).{16,}$/
const DIGITS = /\d+/g

/** Quoted values, ids and numbers vary; everything else is fixed. Takes time that grows with the length and nothing else. */
export function templateOf(message: string): MessageTemplate {
  const template: MessageTemplate = { texts: [], values: [] }
  let from = 0
  const add = (value: string, at: number) => {
    template.texts.push(message.slice(from, at))
    template.values.push(value)
    from = at + value.length
  }
  for (const { 0: part, index } of message.matchAll(message.includes('@') ? PLACE_OR_EMAIL : PLACE)) {
    if (isWhole(part)) add(part, index)
    else for (const digits of part.matchAll(DIGITS)) add(digits[0], index + digits.index)
  }
  template.texts.push(message.slice(from))
  return template
}

/** Whether all of a part varies: it is quoted, an address or an id. Of any other only the digits do. */
function isWhole(part: string): boolean {
  return /\W/.test(part) || HEX.test(part) || MIXED.test(part) || LONG.test(part)
}

/** As much of it as is looked at and shown. Never cut through the middle of a character. */
export function cutMessage(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message
  return `${message.slice(0, MESSAGE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Stands for a value. No message has it: it is no character that people write. */
const MARK = '\u0001'

export interface MarkedMessage {
  text: string
  values: string[]
}

/** A message with marks for its values, as far as messages are looked at. */
export function markedMessage(message: string): MarkedMessage {
  const { texts, values } = templateOf(cutMessage(message.replaceAll(MARK, ' ')))
  return { text: texts.join(MARK), values }
}

export function marksIn(marked: string): number {
  let marks = 0
  for (let at = marked.indexOf(MARK); at >= 0; at = marked.indexOf(MARK, at + MARK.length)) marks++
  return marks
}

/** What is between the values. */
export function textsOf(marked: string): string[] {
  return marked.split(MARK)
}

/** The message of all that have this template: a part that is the same in all of them is shown, any other is a `*`. */
export function foldedMessage(texts: string[], values: (string | undefined)[]): string {
  return texts.map((text, i) => text + (i < values.length ? (values[i] ?? '*') : '')).join('')
}
