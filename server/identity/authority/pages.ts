import { escapeHtml, pageOf } from './html.ts'

export interface SignInForm {
  action: string
  email: string
  problem: string | undefined
}

export function signInPage({ action, email, problem }: SignInForm): string {
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(problem)}</p>`
  const described = problem === undefined ? '' : ' aria-describedby="problem"'
  return pageOf(
    'Sign in to Faultline',
    `${alert}
<form method="post" action="${escapeHtml(action)}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254"${described}${email === '' ? ' autofocus' : ''} value="${escapeHtml(email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000"${described}${email === '' ? '' : ' autofocus'}>
<button class="main" type="submit">Sign in</button>
</form>`,
  )
}

export interface ContinueForm {
  action: string
  client: string
  email: string
}

/** Asked of someone who is signed in already: a program on the same computer could have opened the browser. */
export function continuePage({ action, client, email }: ContinueForm): string {
  return pageOf(
    'Go on?',
    `<p>Let ${escapeHtml(client)} act as <strong>${escapeHtml(email)}</strong>? Go on only if you have just started it yourself.</p>
<form method="post" action="${escapeHtml(action)}">
<button class="main" type="submit" name="answer" value="yes">Go on</button>
<button type="submit" name="answer" value="no">Cancel</button>
</form>`,
  )
}

/** `form` is HTML made by the library, with the id `op.logoutForm` and no button. */
export function signOutPage(form: string): string {
  return pageOf(
    'Sign out of Faultline?',
    `${form}
<button class="main" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`,
  )
}

export function messagePage(title: string, message: string): string {
  return pageOf(title, `<p>${escapeHtml(message)}</p>`)
}
