/** What stands in a template for whatever differs from record to record. */
const VARIABLE = '<*>'

/** What is behind it does not matter. */
export const LINE_LENGTH_MAX = 600
const WORDS_MAX = 16

/**
 * In this order: what is longer first, so that its parts are not taken for something else. The third says what a text must have
 * for the expression to be tried, where trying takes long on texts that have it not.
 */
const VARIABLES: [words: RegExp, by: string, needs?: string][] = [
  // A value that is a list or an object: all that follows belongs to it, however many parts it has.
  [/([:=]\s*)[[({<].*$/, `$1${VARIABLE}`],
  [/"[^"]*"|'[^']*'|`[^`]*`/g, VARIABLE],
  [/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, VARIABLE, '://'],
  [/\b[\w.+-]+@[\w-]+\.[\w.-]+/g, VARIABLE, '@'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, VARIABLE],
  [/\b0x[0-9a-f]+\b/gi, VARIABLE],
  [/(^|[\s=:([,])\/[\w./-]+/g, `$1${VARIABLE}`],
  // Words with a digit in them are names of things, times or amounts. They are tried from their beginning only.
  [/(?<![\w.:+-])[\w.:+-]*\d[\w.:%+-]*/g, VARIABLE],
  [/=\s*[^\s,;)\]}]+/g, `=${VARIABLE}`],
]

/**
 * The statement that a log record comes from, as far as its text alone tells: what differs from record to record is left out.
 * Pure, so that a record can be given its template when it comes in. What only several records together tell, a name that
 * is another one each time, is left to `mergeTemplates`.
 */
export function logTemplate(body: string): string {
  return lineTemplate(messageOf(body))
}

/** The same for a text that is no object. */
export function lineTemplate(text: string): string {
  const line = firstLine(text)
  const masked = VARIABLES.reduce(
    (masking, [words, by, needs = '']) => (masking.includes(needs) ? masking.replace(words, by) : masking),
    line,
  )
  const joined = masked.replaceAll(/<\*>(?:[\s,;:|/_-]*<\*>)+/g, VARIABLE)
  const words = joined.split(/\s+/).filter(Boolean)
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX).join(' ')} ${VARIABLE}` : words.join(' ')
}

function firstLine(text: string): string {
  const cut = text.slice(0, LINE_LENGTH_MAX).trimStart()
  const end = cut.search(/[\r\n]/)
  return end === -1 ? cut : cut.slice(0, end)
}

/** A body that is an object is judged by what it calls its message. */
export function messageOf(body: string): string {
  if (!body.startsWith('{')) return body
  try {
    const parsed = JSON.parse(body) as Record<string, unknown>
    const message = ['message', 'msg', 'event', 'body'].map((key) => parsed[key]).find((it) => typeof it === 'string')
    return typeof message === 'string' ? message : Object.keys(parsed).toSorted().join(' ')
  } catch {
    return body
  }
}

/** Two templates are one where this share of their words is equal. */
const ALIKE_MIN = 0.6

/**
 * Which of these templates are one, in the manner of Drain: templates with as many words and the same first one are compared
 * word by word, and where most are equal, those that differ are variables. Each is mapped to the one that stands for it.
 */
export function mergeTemplates(templates: Iterable<string>): Map<string, string> {
  const groups = new Map<string, { words: string[]; members: string[] }[]>()
  for (const template of templates) {
    const words = template.split(' ')
    const key = `${words.length} ${words[0] ?? ''}`
    const known = groups.get(key) ?? []
    if (known.length === 0) groups.set(key, known)
    const alike = known.find((group) => likeness(group.words, words) >= ALIKE_MIN)
    if (alike === undefined) known.push({ words, members: [template] })
    else {
      alike.words = alike.words.map((word, i) => (word === words[i] ? word : VARIABLE))
      alike.members.push(template)
    }
  }
  const merged = [...groups.values()].flat()
  return new Map(merged.flatMap(({ words, members }) => members.map((member) => [member, words.join(' ')])))
}

function likeness(a: string[], b: string[]): number {
  return a.filter((word, i) => word === b[i]).length / a.length
}
