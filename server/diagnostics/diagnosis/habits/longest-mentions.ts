/** Names of fewer letters are found in any text. */
const NAME_LENGTH_MIN = 3

/** Which of these names a text speaks of, as whole words. A name that stands only inside of a longer one is not meant. */
export function longestMentions(text: string, names: Iterable<string>): Set<string> {
  const found = [...new Set(names)]
    .filter((name) => name.length >= NAME_LENGTH_MIN)
    .flatMap((name) => placesOf(text, name).map((at) => ({ name, at, end: at + name.length })))
  const isInside = (one: (typeof found)[number]) =>
    found.some(({ at, end }) => at <= one.at && one.end <= end && end - at > one.end - one.at)
  return new Set(found.filter((one) => !isInside(one)).map(({ name }) => name))
}

function placesOf(text: string, name: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (isEdge(text, at - 1, -1) && isEdge(text, at + name.length, 1) && !isInPath(text, at)) places.push(at)
  return places
}

/** What follows a single slash names what was asked for, not who was asked. */
function isInPath(text: string, at: number): boolean {
  return text[at - 1] === '/' && text[at - 2] !== '/'
}

/** Whether a word ends at this character: a dot ends one unless another part of a host's name follows. */
function isEdge(text: string, at: number, direction: 1 | -1): boolean {
  const character = text[at] ?? ' '
  if (character === '.') return !isPart(text[at + direction] ?? ' ')
  return !isPart(character) && character !== '-'
}

function isPart(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character)
}
