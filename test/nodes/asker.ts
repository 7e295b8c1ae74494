/** Sends requests to nodes and checks the properties that every response must have. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Judge } from './cluster.js'

/** In ms. A client without a response gives up and does not know the outcome of its request. */
const PATIENCE_MS = Number(process.env.NODES_PATIENCE_MS ?? 8_000)

/** A response. The status is 0 if there was none because the connection broke or timed out. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: any
  /** The reason why there was no response. */
  why: string
}

export interface Question {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  /** The allowed statuses, besides 503 and none. */
  expect: readonly number[]
}

/** A target with a URL, and a name for messages. */
export interface Door {
  name: string
  url: string
}

export class Asker {
  readonly #agent: Agent

  /**
   * @param keepAlive whether connections are kept open, dead ones too
   */
  constructor(
    readonly name: string,
    readonly token: string,
    readonly judge: Judge,
    keepAlive = true,
  ) {
    this.#agent = new Agent({ keepAlive, maxSockets: 16 })
  }

  /** Sends one request. Records a fault if the response cannot be right. */
  async ask(door: Door, question: Question): Promise<Answer> {
    const started = performance.now()
    const answer = await this.#send(door, question)
    const ms = Math.round(performance.now() - started)
    const what = `${this.name} asked ${door.name} ${question.method} ${question.path}: ${answer.status} ${answer.why} (${ms} ms)`
    this.judge.trace(what)
    const { status } = answer
    if (status === 0 || question.expect.includes(status)) return answer
    if (status === 503) {
      if (!/^\d+$/.test(String(answer.headers['retry-after']))) this.judge.fault(`${what}: no Retry-After`)
    } else
      this.judge.fault(
        `${what}: expected ${question.expect.join(' or ')}, got ${JSON.stringify(answer.body)?.slice(0, 600)} for ${JSON.stringify(question.body)?.slice(0, 300)}`,
      )
    return answer
  }

  #send({ url }: Door, { method, path, body, headers }: Question): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((done) => {
      const none = (why: string): void => done({ status: 0, headers: {}, body: undefined, why })
      const sent = request(`${url}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(text === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }),
          ...headers,
        },
      })
      const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), PATIENCE_MS)
      sent.on('error', (error) => none(error.message))
      sent.on('close', () => clearTimeout(timer))
      sent.on('response', (response) => {
        let said = ''
        response.setEncoding('utf8').on('data', (part: string) => (said += part))
        response.on('error', (error) => none(error.message))
        response.on('end', () => {
          if (!response.complete) return none('the answer broke off')
          done({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(said), why: '' })
        })
      })
      sent.end(text)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}
