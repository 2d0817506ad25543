import type { Context, Interaction, InteractionResult, Middleware, Provider } from 'oidc-provider'
import type { ControlStore } from '../../control/control-store.ts'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import { CLI_CLIENT_ID } from './first-party-clients.ts'
import { readForm } from './form-body.ts'
import { continuePage, messagePage, signInPage } from './pages.ts'
import { sendPage } from './send-page.ts'

/** Says neither whether the address is known nor whether it is locked. */
const WRONG = 'The address and the password do not match. After ten failures signing in is locked for 15 minutes.'
const BUSY = 'Too many people are signing in at this moment. Try again in a few seconds.'
const EXPIRED = 'This page has expired. Go back to where you came from and sign in again.'

const CANCELLED = { error: 'access_denied', error_description: 'The person did not go on.' }

export interface InteractionsOptions {
  provider: Provider
  control: ControlStore
  /** The path of the issuer, where the browser sees these pages. */
  mountPath: string
}

/**
 * The pages between asking for a code and getting it. The cookie of the interaction is signed, is sent only to its own
 * address and never along with a form of another site: a forged form is nobody's.
 */
export function createInteractions({ provider, control, mountPath }: InteractionsOptions): Middleware {
  async function show(context: Context, interaction: Interaction, status: number, problem?: string, email = '') {
    const action = `${mountPath}${context.path}`
    const html =
      interaction.prompt.name === 'login'
        ? signInPage({ action, email, problem })
        : continuePage({ action, ...(await whoAndWhat(interaction)) })
    sendPage(context, { status, html, formTargets: redirectOrigins(interaction) })
  }

  async function whoAndWhat({ session, params }: Interaction): Promise<{ client: string; email: string }> {
    const user = await control.users.find(session?.accountId ?? '')
    return {
      client: params.client_id === CLI_CLIENT_ID ? 'the command line' : 'this browser',
      email: user?.email ?? '',
    }
  }

  async function finish(context: Context, result: InteractionResult): Promise<void> {
    const returnTo = await provider.interactionResult(context.req, context.res, result)
    context.status = 303
    context.redirect(returnTo)
  }

  async function signIn(context: Context, interaction: Interaction, form: URLSearchParams): Promise<void> {
    const email = form.get('email') ?? ''
    try {
      const user = await control.users.verifyPassword(email, form.get('password') ?? '', Date.now())
      if (user === undefined) return await show(context, interaction, 422, WRONG, email)
      await finish(context, { login: { accountId: user.id, amr: ['pwd'] }, consent: {} })
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      context.set('Retry-After', '5')
      await show(context, interaction, 503, BUSY, email)
    }
  }

  async function submit(context: Context, interaction: Interaction): Promise<void> {
    const form = await readForm(context.req)
    if (form === undefined) return sendPage(context, { status: 400, html: messagePage('Not accepted', EXPIRED) })
    if (interaction.prompt.name === 'login') return signIn(context, interaction, form)
    await finish(context, form.get('answer') === 'yes' ? { consent: {} } : CANCELLED)
  }

  return async (context, next) => {
    const uid = /^\/interaction\/([\w-]{1,64})$/.exec(context.path)?.[1]
    if (uid === undefined || !['GET', 'POST'].includes(context.method)) return next()
    const interaction = await provider.interactionDetails(context.req, context.res).catch(() => undefined)
    if (interaction?.uid !== uid) return sendPage(context, { status: 400, html: messagePage('Expired', EXPIRED) })
    await (context.method === 'POST' ? submit(context, interaction) : show(context, interaction, 200))
  }
}

/** Browsers hold the redirects that follow a form against the policy of its page. */
function redirectOrigins({ params }: Interaction): string[] {
  return params.redirect_uri === undefined ? [] : [new URL(params.redirect_uri).origin]
}
