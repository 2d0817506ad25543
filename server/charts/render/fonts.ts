import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GlobalFonts } from '@napi-rs/canvas'

/** In the order in which a glyph is looked for. */
const FILES = [
  ['Inter-Regular.ttf', 'Inter'],
  ['Inter-SemiBold.ttf', 'Inter'],
  ['DejaVuSans.ttf', 'DejaVu Sans'],
  ['DroidSansFallback.ttf', 'Droid Sans Fallback'],
] as const

export const FONT_FAMILY = [...new Set(FILES.map(([, family]) => family))].map((family) => `"${family}"`).join(', ')

/** The project's own fonts and no others, so that pictures are the same everywhere. */
export function registerFonts(): void {
  const folder = fontFolder()
  for (const [file, family] of FILES)
    if (!GlobalFonts.registerFromPath(join(folder, file), family)) throw new Error(`The font ${file} cannot be used.`)
}

/** Beside the package's own description, which is higher up: how far depends on how the program was built. */
function fontFolder(): string {
  for (const up of ['..', '../..', '../../..', '../../../..']) {
    const folder = join(import.meta.dirname, up, 'fonts')
    if (existsSync(join(folder, FILES[0][0]))) return folder
  }
  throw new Error('The folder of fonts is not there.')
}
