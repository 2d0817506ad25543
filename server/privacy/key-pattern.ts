/** Whether a key is the one that is meant, in whatever case; `*` stands for any characters. Takes time linear in both. */
export function keyPattern(pattern: string): (key: string) => boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const last = rest.pop()
  if (last === undefined) return (key) => key.toLowerCase() === first
  return (key) => {
    const text = key.toLowerCase()
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}
