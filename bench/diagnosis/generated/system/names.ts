import type { Random } from '../../../../server/demo/engine/random.ts'

const WORDS =
  'order cart billing ledger quote stock price rating search media profile session invoice refund coupon basket route fleet parcel claim policy tax report audit mail notify ticket seat venue badge loyalty wallet payout rate credit risk fraud geo menu recipe booking calendar chat feed story image video upload export import label pick pack return supplier catalog review wish gift'.split(
    ' ',
  )
const SYLLABLES = 'ba ce di fo gu ha ji ka lo mu ne pi qua ro su ta vi wo xe yu zan mer tol bri sto'.split(' ')
const ENDINGS = ['', '-service', '-api', '-svc', '-worker']
const NOUNS = 'items entries records lines accounts events jobs files offers slots keys units'.split(' ')
const EXCEPTIONS = [
  ['NullPointerException', 'Cannot read field "{noun}" because "row" is null'],
  ['TypeError', "Cannot read properties of undefined (reading '{noun}')"],
  ['KeyError', "'{noun}'"],
  ['IllegalStateException', 'no {noun} for 4711'],
  ['ValidationError', '{noun}: value is not a valid decimal'],
  ['IndexOutOfRangeException', 'Index was outside the bounds of {noun}'],
  ['SerializationException', 'cannot decode {noun} at offset 118'],
] as const

/** Makes names that do not repeat within a system. */
export class Names {
  readonly #random: Random
  readonly #used = new Set<string>()
  readonly #ending: string
  readonly #hasWords: boolean

  constructor(random: Random) {
    this.#random = random
    this.#ending = random.pick(ENDINGS)
    this.#hasWords = random.chance(0.5)
  }

  service(): string {
    return this.#unique(() => `${this.#word()}${this.#ending}`)
  }

  /** Of a database, a topic, a customer: a single word. */
  thing(): string {
    return this.#unique(() => this.#word())
  }

  noun(): string {
    return this.#random.pick(NOUNS)
  }

  exception(): { type: string; message: string } {
    const [type, message] = this.#random.pick(EXCEPTIONS)
    return { type, message: message.replace('{noun}', this.noun()) }
  }

  version(): string {
    return `${1 + this.#random.integer(6)}.${this.#random.integer(30)}.${this.#random.integer(12)}`
  }

  #word(): string {
    if (this.#hasWords) return this.#random.pick(WORDS)
    return Array.from({ length: 2 + this.#random.integer(2) }, () => this.#random.pick(SYLLABLES)).join('')
  }

  #unique(make: () => string): string {
    for (let tries = 0; ; tries++) {
      const name = tries < 20 ? make() : `${make()}-${tries}`
      if (this.#used.has(name)) continue
      this.#used.add(name)
      return name
    }
  }
}
