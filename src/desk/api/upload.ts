/** Sends a file with progress, which `fetch` does not report. */
import { ApiError, failure } from './client.js'

/** The sent part of a file, in bytes. */
export interface Sent {
  done: number
  total: number
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the maximum size of a file that the server accepts, in bytes. Throws `ApiError`. */
export async function maxFileBytes(): Promise<number> {
  const response = await fetch('/v1').catch(() => {
    throw new ApiError(0, '')
  })
  const service: { limits?: { fileBytes?: number } } | null = await response.json().catch(() => null)
  return service?.limits?.fileBytes ?? Number.POSITIVE_INFINITY
}

/** Sends a form and returns the body of the response. Throws `ApiError`; with status 0 also when it is stopped. */
export function sendForm(
  path: string,
  form: FormData,
  { onProgress, signal }: { onProgress: (sent: Sent) => void; signal: AbortSignal },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stopped = () => reject(new ApiError(0, ''))
    request.open('POST', path)
    request.setRequestHeader('X-Requested-By', 'desk')
    request.upload.onprogress = ({ loaded, total }) => onProgress({ done: loaded, total })
    request.onerror = stopped
    request.onabort = stopped
    request.onload = () => {
      const { status, statusText, responseText } = request
      if (status < 300) return resolve(json(responseText))
      const headers = { 'X-Request-Id': request.getResponseHeader('X-Request-Id') ?? '' }
      reject(failure(new Response(null, { status, statusText, headers }), json(responseText)))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(form)
  })
}
