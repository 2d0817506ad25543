import { createHash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { width: min(22rem, calc(100vw - 2rem)); padding: 1rem }
h1 { font-size: 1.4rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; border: 1px solid #767676; border-radius: .3rem }
button { margin: 1.5rem .5rem 0 0; padding: .6rem 1.2rem; font: inherit; border: 1px solid #767676; border-radius: .3rem; cursor: pointer }
button.main { background: #1a4fb4; border-color: #1a4fb4; color: #fff }
:focus-visible { outline: 3px solid #e08a00; outline-offset: 2px }
[role=alert] { padding: .6rem; border-left: 4px solid #c62828; background: color-mix(in srgb, #c62828 12%, transparent) }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** `body` is HTML already. */
export function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Faultline</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

/** Nothing runs, nothing is loaded, nobody frames it; forms lead only where they must, redirects after them included. */
export function contentSecurityPolicy(formTargets: string[]): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
