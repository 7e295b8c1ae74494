// The default customization of a site.
import type { SiteCustomization } from '../../model/index.js'

const both = (light: string, dark: string = light) => ({ light, dark })

/** The settings of a site that was never customized. */
export const defaultCustomization: SiteCustomization = {
  favicon: {},
  socialAccounts: [],
  styling: {
    theme: 'clean',
    primaryColor: both('#346ddb'),
    infoColor: both('#787878'),
    successColor: both('#00c950'),
    warningColor: both('#fe9a00'),
    dangerColor: both('#fb2c36'),
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'regular',
    sidebar: { background: 'default', list: 'default' },
    search: 'prominent',
    codeTheme: { light: 'default-light', dark: 'default-dark' },
  },
  internationalization: { locale: 'en' },
  header: { preset: 'default', links: [] },
  footer: { groups: [] },
  themes: { default: 'light', toggeable: true },
  pdf: { enabled: true },
  feedback: { enabled: false },
  ai: { mode: 'none' },
  advancedCustomization: { enabled: false },
  pageActions: { externalAI: false, markdown: true },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: true },
  git: { showEditLink: false },
  insights: { trackingCookie: false },
  privacyPolicy: {},
  socialPreview: {},
}
