import type { Samples, SpecialSamples } from './samples.js'

/** A site with sections, a group and site spaces. Endpoints that use it up get a new one. */
export const siteSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const made = async (path: string, body?: object) => (await admin.call('post', path, body).expect(201)).body
  const space = async (title: string) => (await made(`/v1/orgs/${organization}/spaces`, { title })).id as string
  const base = `/v1/orgs/${organization}/sites`
  const site = (await made(base, { title: 'Probe', spaces: [before.spaceId] })).id as string
  await admin.call('post', `${base}/${site}/publish`).expect(200)
  const at = `${base}/${site}`
  const section = async (title: string) => (await made(`${at}/sections`, { spaceId: await space(title) })).id as string
  const [siteSectionId, grouped, spare] = [await section('One'), await section('Two'), await section('Three')]
  const siteSectionGroupId = (await made(`${at}/section-groups`, { title: 'Group', sections: [grouped] })).id as string
  const siteSpace = async (title: string) =>
    (await made(`${at}/site-spaces`, { spaceId: await space(title), sectionId: siteSectionId })).id as string
  const [siteSpaceId, spareSpace] = [await siteSpace('Variant'), await siteSpace('Spare variant')]
  const parameters = { ...before, siteId: site, siteSectionId, siteSectionGroupId, siteSpaceId }
  const spareGroup = (await made(`${at}/section-groups`, { title: 'Spare' })).id as string
  const siteExternalLinkId = (
    await made(`${at}/external-links`, {
      title: 'Probe',
      target: 'https://example.org',
      sectionGroup: siteSectionGroupId,
    })
  ).id as string
  const shown = (
    await admin.call('get', `/v1/orgs/${organization}/sites/${site}/site-spaces/${siteSpaceId}`).expect(200)
  ).body.space.id as string
  const [page] = (await admin.call('get', `/v1/spaces/${shown}/content/pages`).expect(200)).body.pages as {
    id: string
  }[]
  const first = (await admin.call('get', `${at}/sections/${siteSectionId}`).expect(200)).body.siteSpaces[0].id
  const special: SpecialSamples = {
    // Its first response is 202.
    getPublishedBundle: null,
    addSectionToSite: { parameters: { ...parameters, spaceId: await space('For a section') } },
    addSpaceToSite: { parameters: { ...parameters, spaceId: await space('For a site space') } },
    addSectionToSiteSectionGroup: { parameters: { ...parameters, siteSectionId: grouped } },
    moveSiteSpace: { parameters: { ...parameters, otherSiteSpaceId: first } },
    getPublishedPageById: { parameters: { ...parameters, pageId: page?.id ?? '' } },
    updateSiteExternalLinkById: { parameters: { ...parameters, siteExternalLinkId }, success: true },
    publishSiteById: { success: true },
    unpublishSiteById: {
      parameters: { ...parameters, siteId: (await made(base, { spaces: [before.spaceId] })).id },
      success: true,
    },
    deleteSiteById: { parameters: { ...parameters, siteId: (await made(base)).id }, success: true },
    deleteSiteSectionById: { parameters: { ...parameters, siteSectionId: spare }, success: true },
    moveSiteSection: { success: true },
    deleteSiteSectionGroupById: { parameters: { ...parameters, siteSectionGroupId: spareGroup }, success: true },
    removeSectionFromSiteSectionGroup: { success: true },
    moveSiteSectionGroup: { success: true },
    deleteSiteSpaceById: { parameters: { ...parameters, siteSpaceId: spareSpace }, success: true },
  }
  return { parameters: { siteId: site, siteSectionId, siteSectionGroupId, siteSpaceId, siteExternalLinkId }, special }
}
