import type { Context } from 'oidc-provider'
import { contentSecurityPolicy } from './html.ts'

export interface Page {
  status: number
  html: string
  /** Origins that a form of this page may lead to, beside our own. */
  formTargets?: string[]
}

export function sendPage(context: Context, { status, html, formTargets = [] }: Page): void {
  context.status = status
  context.type = 'text/html; charset=utf-8'
  context.set('Content-Security-Policy', contentSecurityPolicy(formTargets))
  context.set('X-Frame-Options', 'DENY')
  context.set('X-Content-Type-Options', 'nosniff')
  context.set('Referrer-Policy', 'no-referrer')
  context.set('Cache-Control', 'no-store')
  context.body = html
}
