/** The number of unread notifications, checked once a minute while the window is visible. */
import { useEffect } from 'preact/hooks'
import { api, body } from './client.js'
import { reload, useData } from './data.js'

const KEY = 'unread'
const CHECK_MS = 60_000

/** Reads the number. */
export function useUnread(isSignedIn: boolean): number {
  const unread = useData(isSignedIn ? KEY : null, () =>
    body(api.GET('/v1/user/notifications', { params: { query: { status: 'unread', limit: 0 } } })),
  )
  useEffect(() => {
    if (!isSignedIn) return
    const check = (): void => {
      if (document.visibilityState === 'visible') void reload(KEY)
    }
    const timer = setInterval(check, CHECK_MS)
    document.addEventListener('visibilitychange', check)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [isSignedIn])
  return unread.value?.count ?? 0
}

/** Reloads the number after a change of read marks. */
export const recount = (): void => void reload(KEY)
