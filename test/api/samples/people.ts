import type { Samples, SpecialSamples } from './samples.js'

/** Members, teams, invitations. */
export const peopleSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}`
  const team = async (): Promise<string> => (await admin.call('put', `${base}/teams`, { title: 'Probe' }).expect(201)).body.id
  await admin.call('patch', base, { hostname: 'probe', emailDomains: ['example.org'] }).expect(200)
  const [changed, leaver] = [await here.caller('read'), await here.caller('read')]
  const parameters = { ...before, teamId: await team(), emailDomain: 'example.org', subdomain: 'probe' }
  const of = (userId: string) => ({ ...parameters, userId })
  const special: SpecialSamples = {
    pingOrganization: { success: true },
    updateMemberInOrganizationById: { parameters: of(changed.user), body: { role: 'edit' }, success: true },
    addSSOMemberInOrganization: { parameters: of(changed.user), success: true },
    removeMemberFromOrganizationById: { parameters: of(leaver.user) },
    createOrganizationTeam: { body: { title: 'New' }, success: true },
    updateTeamInOrganizationById: { body: { title: 'Changed' }, success: true },
    updateMembersInOrganizationTeam: { body: { add: [changed.user] }, success: true },
    removeTeamFromOrganizationById: { parameters: { ...parameters, teamId: await team() }, success: true },
  }
  return { parameters, special }
}
