/** In PEM. */
export interface Tls {
  cert: string | Buffer
  key: string | Buffer
}
