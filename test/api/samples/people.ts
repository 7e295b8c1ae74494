import type { Samples, SpecialSamples } from './samples.js'

/** Members, teams and invitations. */
export const peopleSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}`
  const team = async (): Promise<string> =>
    (await admin.call('put', `${base}/teams`, { title: 'Probe' }).expect(201)).body.id
  await admin.call('patch', base, { hostname: 'probe', emailDomains: ['example.org'] }).expect(200)
  const [changed, leaver] = [await here.caller('read'), await here.caller('read')]
  const invite = (await admin.call('post', `${base}/invites`, { emails: ['probe@example.org'] }).expect(200)).body
    .invites[0].id as string
  await admin.call('patch', base, { inviteLinks: true }).expect(200)
  const link = async (): Promise<string> => (await admin.call('post', `${base}/link-invites`, {}).expect(201)).body.id
  const parameters = {
    ...before,
    teamId: await team(),
    emailDomain: 'example.org',
    subdomain: 'probe',
    inviteId: await link(),
  }
  const of = (userId: string) => ({ ...parameters, userId })
  const special: SpecialSamples = {
    // There are no links without a mail server.
    requestSignInLink: { success: false },
    updateMembersInOrganizationTeam: { parameters: of(changed.user) },
    pingOrganization: { success: true },
    updateMemberInOrganizationById: { parameters: of(changed.user), success: true },
    addSSOMemberInOrganization: { parameters: of(changed.user), success: true },
    removeMemberFromOrganizationById: { parameters: of(leaver.user) },
    getInviteInOrganizationById: { parameters: { ...parameters, inviteId: invite } },
    resendInviteInOrganizationById: { parameters: { ...parameters, inviteId: invite } },
    revokeInviteInOrganizationById: { parameters: { ...parameters, inviteId: invite } },
    deleteLinkInviteInOrganizationById: { parameters: { ...parameters, inviteId: await link() }, success: true },
    removeTeamFromOrganizationById: { parameters: { ...parameters, teamId: await team() }, success: true },
  }
  return { parameters, special }
}
