/** Text from elsewhere on one line, unable to steer the terminal or to hide. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const short = SHORT[character]
    return short ?? `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
