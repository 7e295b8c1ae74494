/** A response of the API. */
export interface ApiResponse {
  status: number
  body: any
}

/** Calls the API of one server with a token, over kept connections. Rejects if the server stops. */
export type Call = ((
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse>) & { url: string }

/** A caller. `seen` receives every status, so that a test can report statuses that never occurred. */
export function caller(
  url: string,
  token: string,
  seen: (status: number, response: ApiResponse, what: string) => void = () => {},
): Call {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const received: ApiResponse = { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    seen(received.status, received, `${method} ${path}`)
    return received
  }
  return Object.assign(call, { url })
}

/** Repeats a call until the status is not 409, with a new plan each time. Returns the number of rejections. */
export async function untilAccepted(
  attempt: () => Promise<ApiResponse>,
  patience = 500,
): Promise<{ response: ApiResponse; refused: number }> {
  for (let refused = 0; ; refused++) {
    const response = await attempt()
    if (response.status !== 409) return { response, refused }
    if (refused >= patience) throw new Error(`refused ${refused} times: ${JSON.stringify(response.body)}`)
  }
}

export const insertPage = (title: string, markdown: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown } }],
})
export const updatePage = (page: string, markdown: string) => ({
  changes: [{ operation: 'update_page', page, document: { markdown } }],
})
