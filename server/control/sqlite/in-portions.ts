/** SQLite takes a limited number of values in one statement. */
const PORTION_ROWS = 500

/** One portion after the other. */
export async function inPortions<T>(all: T[], work: (portion: T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < all.length; start += PORTION_ROWS) await work(all.slice(start, start + PORTION_ROWS))
}
