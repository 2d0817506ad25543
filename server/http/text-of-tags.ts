/** Tags are compared as text, so that 502 matches the number and the string. */
export function textOfTags(tags: Record<string, string | number | boolean>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, String(value)]))
}
