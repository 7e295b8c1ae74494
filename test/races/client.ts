/** An answer of the API. */
export interface Answer {
  status: number
  body: any
}

/** Calls the API of one server with a token, over kept connections. Rejects where the server goes away. */
export type Call = ((method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>) & { url: string }

/** A caller. Every status is seen by `seen`, so that a test can say which never came. */
export function caller(url: string, token: string, seen: (status: number, answer: Answer, what: string) => void = () => {}): Call {
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: Answer = { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    seen(answer.status, answer, `${method} ${path}`)
    return answer
  }
  return Object.assign(call, { url })
}

/** Calls until the answer is no 409, planning anew each time. Answers how often it was refused. */
export async function untilAccepted(attempt: () => Promise<Answer>, patience = 500): Promise<{ answer: Answer; refused: number }> {
  for (let refused = 0; ; refused++) {
    const answer = await attempt()
    if (answer.status !== 409) return { answer, refused }
    if (refused >= patience) throw new Error(`refused ${refused} times: ${JSON.stringify(answer.body)}`)
  }
}

export const insertPage = (title: string, markdown: string) => ({ changes: [{ operation: 'insert_page', title, document: { markdown } }] })
export const updatePage = (page: string, markdown: string) => ({ changes: [{ operation: 'update_page', page, document: { markdown } }] })
