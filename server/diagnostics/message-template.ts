/** A message cut into its fixed texts and, between them, the parts that vary from one to the next. */
export interface MessageTemplate {
  /** One more than there are values. */
  texts: string[]
  values: string[]
}

/** What comes after so many characters tells no two messages apart, and is not shown. */
export const MESSAGE_LENGTH_MAX = 1000

const QUOTED = /(?<!\w)(?:'[^'\n]{0,200}'|"[^"\n]{0,200}"|`[^`\n]{0,200}`|“[^”\n]{0,200}”|«[^»\n]{0,200}»)(?!\w)/
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}/
const UUID = /(?<!\w)[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}(?!\w)/
const HEX = /(?<!\w)(?:0x[\da-f]+|(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,})(?!\w)/
/** Letters and digits that alternate, as in no word. */
const MIXED = /(?<!\w)[a-z_]{0,32}(?:\d{1,32}[a-z_]{1,32}){2,16}\d{0,32}(?!\w)/
const LONG = /(?<!\w)(?=[a-z_]*\d)(?=[\d_]*[a-z])\w{16,}(?!\w)/
/** Also decimals, times and addresses; a minus only where it cannot be a dash. */
const NUMBER = /(?<![\w)\]])-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*/

const VARIABLE = new RegExp(
  [QUOTED, EMAIL, UUID, HEX, MIXED, LONG, NUMBER].map(({ source }) => source).join('|'),
  'giu',
)

/** Quoted values, ids and numbers vary; everything else is fixed. */
export function templateOf(message: string): MessageTemplate {
  const shown = cut(message)
  const values = shown.match(VARIABLE) ?? []
  return { texts: shown.split(VARIABLE), values: [...values] }
}

/** Never through the middle of a character. */
function cut(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message
  return `${message.slice(0, MESSAGE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The message of all that have this template: a part that is the same in all of them is shown, any other is a `*`. */
export function foldedMessage(texts: string[], values: (string | undefined)[]): string {
  return texts.map((text, i) => text + (i < values.length ? (values[i] ?? '*') : '')).join('')
}
