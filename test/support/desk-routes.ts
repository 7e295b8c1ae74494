import { readFileSync } from 'node:fs'

/** The routes of the app, `/s/:space/p/:page`. The sources of the app need a browser, so this reads their text. */
export const deskRoutes = (): string[] =>
  [...readFileSync('src/desk/app.tsx', 'utf8').matchAll(/pattern: '([^']+)'/g)].map(([, pattern]) => pattern as string)

/** Returns the route that shows an address of the app; null if the app has nothing there. */
export function routeOf(address: string, origin: string, routes: readonly string[] = deskRoutes()): string | null {
  if (!address.startsWith(`${origin}/`)) return null
  const { pathname } = new URL(address)
  return routes.find((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`).test(pathname)) ?? null
}
