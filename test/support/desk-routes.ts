import { readFileSync } from 'node:fs'

const FILES = ['src/desk/app.tsx', 'src/desk/admin/routes.ts']

/** The routes of the app, `/s/:space/p/:page`. The sources of the app need a browser, so this reads their text. */
export function deskRoutes(): string[] {
  const text = FILES.map((file) => readFileSync(file, 'utf8')).join('\n')
  const organization = /ORGANIZATION = '([^']+)'/.exec(text)?.[1] ?? ''
  return [...text.matchAll(/(?:pattern: |route\(\s*)['`]([^'`]+)['`]/g)].map(([, pattern = '']) =>
    pattern.replace('$' + '{ORGANIZATION}', organization),
  )
}

/** Returns the route that shows an address of the app; null if the app has nothing there. */
export function routeOf(address: string, origin: string, routes: readonly string[] = deskRoutes()): string | null {
  if (!address.startsWith(`${origin}/`)) return null
  const { pathname } = new URL(address)
  return routes.find((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`).test(pathname)) ?? null
}
