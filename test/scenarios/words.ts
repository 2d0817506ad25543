const WORD = /(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g

/** Words between spaces; a part in double quotes may have spaces, and keeps its quotes. */
export function wordsOf(line: string): string[] {
  return line.match(WORD) ?? []
}

export function unquoted(word: string): string {
  return word.startsWith('"') ? (JSON.parse(word) as string) : word
}

/** `key=value`, or `@key=value`; the value is a number or a truth where it looks like one and has no quotes. */
export function pairOf(word: string): [key: string, value: string | number | boolean] | undefined {
  const at = word.indexOf('=')
  if (at <= 0) return undefined
  return [word.slice(0, at), typedValueOf(word.slice(at + 1))]
}

function typedValueOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return unquoted(text)
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}
