/** Splits what a person searches for into the words that must occur. */
export function wordsOf(text: string): string[] {
  // No stored text has a zero character: decoders replace it so.
  return [...new Set(text.replaceAll('\0', '\ufffd').split(/\s+/).filter(Boolean))]
}

/**
 * A regular expression that finds a word in whatever case, as a part of the text: scripts without spaces have no other words,
 * and half a name or an id is found too. The flag for case makes JavaScript (with `iu`) and RE2 (with `i`) fold letters of every
 * script in the same way. A letter is found whether its accents are written with it or behind it.
 */
export function wordPattern(word: string): string {
  return spellingsOf(word).map(escaped).join('|')
}

/** Whether a text holds the word just where it holds these characters, which is found out faster. */
export function isFoundAsIs(word: string): boolean {
  return word.toLowerCase() === word.toUpperCase() && spellingsOf(word).length === 1
}

function spellingsOf(word: string): string[] {
  return [...new Set([word, word.normalize('NFC'), word.normalize('NFD')])]
}

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
