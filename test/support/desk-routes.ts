import { readFileSync } from 'node:fs'

/** The files of the app that list routes. */
const FILES = ['src/desk/app.tsx', 'src/desk/admin/routes.ts', 'src/desk/review/routes.ts']

/** The routes of the app, `/s/:space/p/:page`. The sources of the app need a browser, so this reads their text. */
export const deskRoutes = (): string[] =>
  FILES.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const constants = new Map([...text.matchAll(/^const (\w+) = '([^']+)'$/gm)].map(([, name, value]) => [name, value]))
    const filled = (pattern: string): string =>
      pattern.replace(/\$\{(\w+)\}/g, (whole, name) => constants.get(name) ?? whole)
    return [...text.matchAll(/(?:\bpattern: |\broute\(\s*)(?:'([^']+)'|`([^`]+)`|([A-Z]+)\b)/g)].map(
      ([, plain, template, name]) => plain ?? (template === undefined ? (constants.get(name) ?? '') : filled(template)),
    )
  })

/** Returns the route that shows an address of the app; null if no route matches. */
export function routeOf(address: string, origin: string, routes: readonly string[] = deskRoutes()): string | null {
  if (!address.startsWith(`${origin}/`)) return null
  const { pathname } = new URL(address)
  return routes.find((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`).test(pathname)) ?? null
}
