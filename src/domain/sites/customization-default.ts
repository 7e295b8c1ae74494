// The customization of a site that nobody has customized.
import type { SiteCustomization } from '../../model/index.js'

const both = (light: string, dark: string = light) => ({ light, dark })

/** The look of a site that is not customized. */
export const defaultCustomization: SiteCustomization = {
  title: null,
  favicon: null,
  socialAccounts: [],
  styling: {
    theme: 'clean',
    primaryColor: both('#346ddb'),
    tint: null,
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
  },
  internationalization: { locale: 'en' },
  header: { preset: 'default', backgroundColor: null, linkColor: null, logo: null, primaryLink: null, links: [] },
  footer: { logo: null, groups: [], copyright: null },
  announcement: { enabled: false, style: 'info', message: '', link: null },
  themes: { default: 'system', toggeable: true },
  pdf: { enabled: true },
  feedback: { enabled: false },
  aiSearch: { enabled: false },
  pageActions: { externalAI: false, markdown: true, mcp: false },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: true },
  git: { showEditLink: false },
  insights: { trackingCookie: false },
  privacyPolicy: { url: null },
  socialPreview: { url: null },
}
