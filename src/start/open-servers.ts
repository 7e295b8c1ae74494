/** Starts the HTTP servers of a service: that of the API, and that of the published sites. */
import type { Config } from '../config.js'
import type { App } from '../domain/context/app.js'
import type { serveApi } from './serve-api.js'
import type { serveSites } from './serve-sites.js'

/** A server that a service may have. */
export type Served = 'api' | 'sites'

type Around = Parameters<typeof serveApi>[2] & Parameters<typeof serveSites>[2]

/** The address in the settings of an app whose servers are not started. */
const NOWHERE = 'http://127.0.0.1'

/**
 * Starts the servers in `serves`, and adds their addresses to the settings of the app. The modules of a server that
 * is not started are not loaded, because they are most of the code.
 */
export async function openServers(
  app: App,
  config: Config,
  around: Around,
  serves: readonly Served[] = ['api', 'sites'],
): Promise<{ stop(idleMs?: number): Promise<void> }> {
  const api = serves.includes('api') ? await (await import('./serve-api.js')).serveApi(app, config, around) : null
  if (config.publicUrl === null) app.settings.publicUrl = api?.url ?? NOWHERE
  try {
    const sites = serves.includes('sites')
      ? await (await import('./serve-sites.js')).serveSites(app, config, around)
      : null
    if (config.sitesOrigin === null) app.settings.sites.origin = sites?.url ?? NOWHERE
    return { stop: async (idleMs) => void (await Promise.all([api?.stop(idleMs), sites?.stop(idleMs)])) }
  } catch (error) {
    await api?.stop()
    throw error
  }
}
