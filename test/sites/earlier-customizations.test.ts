/** Customizations as an earlier release stored them. */
import * as assert from 'uvu/assert'
import { migrateCustomizations } from '../../src/domain/upkeep/earlier-customizations.js'
import { type SiteCustomizationInput, siteCustomizations } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { makeSite } from './support.js'

const [test, here] = await suiteWith('earlier customizations', startService)
const themed = (value: string) => ({ light: value, dark: value })

/** Everything that an earlier release allowed and this one does not, or answers differently. */
const earlier = {
  title: null,
  favicon: null,
  socialAccounts: [],
  aiSearch: { enabled: true },
  themes: { default: 'system', toggeable: false },
  internationalization: { locale: 'it' },
  announcement: { enabled: true, message: `${'x'.repeat(127)}😀${'y'.repeat(300)}`, link: null },
  header: {
    logo: null,
    links: [
      { title: 'More', to: null, links: [{ title: 't'.repeat(100), to: null }] },
      { title: 'Bare', to: null },
    ],
  },
  styling: { tint: null, font: { fontFamily: 'Own', fontFaces: [{ weight: 400, sources: [{ url: '/own.woff2' }] }] } },
  footer: { logo: themed('/x.svg'), copyright: null, groups: [] },
  pageActions: { externalAI: true, mcp: true },
}

/** The settings after the migration. */
function migrated(settings: object): any {
  const written: any[] = []
  const view = {
    documents: () => [{ id: 's', version: 1, site: 's', settings }],
    put: (_: string, doc: object) => written.push(doc),
  }
  migrateCustomizations(view as never)
  return written[0].settings
}

test('stored customizations become whole shapes of today', async () => {
  const { id, base } = await makeSite(here)
  await here.service.app.store.insert(siteCustomizations, {
    id,
    site: id,
    settings: migrated(earlier) as SiteCustomizationInput,
  })
  // The service checks its response against the schema.
  const whole = (await here.admin.call('get', `${base}/customization`).expect(200)).body
  assert.equal(
    [whole.ai, whole.themes, whole.internationalization],
    [{ mode: 'search' }, { default: 'light', toggeable: false }, { locale: 'en' }],
  )
  assert.equal(whole.announcement, { enabled: true, style: 'info', message: 'x'.repeat(127) })
  assert.equal(whole.header.links[0]?.links[0]?.title, 't'.repeat(64))
  assert.equal([whole.title, whole.favicon, whole.styling.tint], [undefined, {}, undefined])
})

test('what is as it was stays, and Portuguese finds its language', () => {
  const kept = {
    title: 'Docs',
    themes: { default: 'dark' },
    internationalization: { locale: 'de' },
    ai: { mode: 'none' },
  }
  assert.equal(migrated(kept), kept)
  assert.equal(migrated({ aiSearch: { enabled: false }, internationalization: { locale: 'pt' } }), {
    internationalization: { locale: 'pt-br' },
  })
})

test.run()
