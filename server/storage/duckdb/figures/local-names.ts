/** Texts by number, for as long as one question is answered. */
export class LocalNames {
  readonly texts: string[] = []
  private readonly ids = new Map<string, number>()

  of(text: string): number {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    this.ids.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }

  text(id: number): string {
    return this.texts[id] as string
  }

  /** Numbers of one kind as numbers of this one, each looked up once. */
  translator(textOf: (id: number) => string): (id: number) => number {
    const known: number[] = []
    return (id) => {
      const found = known[id]
      if (found !== undefined) return found
      const local = this.of(textOf(id))
      known[id] = local
      return local
    }
  }
}
