import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** A mail as the server received it. */
export interface Received {
  from: string
  to: string[]
  /** Headers and body, as sent. */
  raw: string
  /** The text, decoded. */
  text: string
  /** The secret after the # of the link. */
  secret: string
}

/** The server's response to a recipient or message: an SMTP code, or null to accept it. */
export type Behaviour = (what: 'connect' | 'recipient' | 'message', address: string) => number | null

/** A mail server on a free port. */
export interface Smtp {
  url: string
  received: Received[]
  behave(behaviour: Behaviour): void
  /** Connections so far. */
  connections(): number
  /** The next mail to an address, or one that has already arrived. */
  mailTo(address: string, nth?: number): Promise<Received>
  close(): Promise<void>
}

/** The text of a single-part message, quoted-printable or plain. */
function textOf(raw: string): string {
  const end = raw.indexOf('\r\n\r\n')
  const body = raw.slice(end + 4)
  if (/^content-transfer-encoding: base64/im.test(raw.slice(0, end))) return Buffer.from(body, 'base64').toString()
  if (!/^content-transfer-encoding: quoted-printable/im.test(raw.slice(0, end))) return body
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

export async function startSmtp(options: { user?: string; password?: string } = {}): Promise<Smtp> {
  const received: Received[] = []
  let behaviour: Behaviour = () => null
  let connections = 0
  const refuse = (code: number | null): Error | null =>
    code === null ? null : Object.assign(new Error('refused as told'), { responseCode: code })
  const server = new SMTPServer({
    authOptional: options.user === undefined,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) =>
      auth.username === options.user && auth.password === options.password
        ? done(null, { user: 'sender' })
        : done(new Error('wrong password')),
    onConnect: (_session, done) => {
      connections++
      done(refuse(behaviour('connect', '')))
    },
    onRcptTo: ({ address }, _session, done) => done(refuse(behaviour('recipient', address))),
    onData: (stream, session: SMTPServerSession, done) => {
      let raw = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => (raw += chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const refusal = refuse(behaviour('message', to[0] ?? ''))
        const text = textOf(raw)
        const from = session.envelope.mailFrom
        if (!refusal)
          received.push({ from: from ? from.address : '', to, raw, text, secret: /#(\S+)/.exec(text)?.[1] ?? '' })
        done(refusal)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.server.address() as AddressInfo
  const login = options.user === undefined ? '' : `${options.user}:${options.password}@`
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    received,
    behave: (next) => {
      behaviour = next
    },
    connections: () => connections,
    mailTo: async (address, nth = 1) => {
      for (;;) {
        const found = received.filter(({ to }) => to.includes(address))[nth - 1]
        if (found) return found
        await new Promise((done) => setTimeout(done, 10))
      }
    },
    close: () => new Promise((done) => server.close(() => done())),
  }
}
