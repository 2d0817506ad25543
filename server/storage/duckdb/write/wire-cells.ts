const ownUuid = new Uint8Array(16)
const ownNumber = new Uint8Array(8)

/** The bytes as they were when the row was written: the other way round than in the database, the sign turned back. */
export function wireUuid(cells: Uint8Array, row: number, uuid = ownUuid): Uint8Array {
  for (let i = 0; i < 16; i++) uuid[i] = cells[row * 16 + 15 - i] as number
  uuid[0] = (uuid[0] as number) ^ 0x80
  return uuid
}

export function wireNumber(cells: Uint8Array, row: number, number = ownNumber): Uint8Array {
  for (let i = 0; i < 8; i++) number[i] = cells[row * 8 + 7 - i] as number
  return number
}
