import type { Picture } from '../picture.ts'

export interface DrawMessage {
  id: number
  picture: Picture
}

export type DrawnMessage = { id: number; png: Uint8Array } | { id: number; failure: string }
