interface Cookie {
  name: string
  value: string
  path: string
}

/** As much of a browser as signing in takes: it keeps cookies by path, and follows redirects within its own site. */
export class Browser {
  #cookies: Cookie[] = []

  cookie(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value
  }

  /** One request, with the cookies that belong to the address. */
  async request(url: string | URL, form?: Record<string, string>): Promise<Response> {
    const { pathname } = new URL(url)
    const sent = this.#cookies.filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
    const headers = { accept: 'text/html', cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') }
    const body = form && new URLSearchParams(form)
    const response = await fetch(url, { redirect: 'manual', headers, ...(body && { method: 'POST', body }) })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Follows redirects until there is a page, or until they lead to `leavingTo`; resolves to where that is. */
  async visit(url: string | URL, leavingTo: string, form?: Record<string, string>) {
    let here = new URL(url)
    let response = await this.request(here, form)
    for (let hops = 0; hops < 10; hops++) {
      const location = response.headers.get('location')
      if (location === null) return { url: here, response }
      here = new URL(location, here)
      if (here.href.startsWith(leavingTo)) return { url: here, response }
      response = await this.request(here)
    }
    throw new Error('redirected in circles')
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice('path='.length) ?? '/'
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path)
    if (value !== '') this.#cookies.push({ name, value, path })
  }
}
