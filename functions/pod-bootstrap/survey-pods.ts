import { defineReconcile } from '#shared/define.ts';
import { pods } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { isLate } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import { houseOf } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { lookOver } from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import {
  breakerCondition,
  lateReport,
  restartedMeasure,
  stuckReport,
} from '#shared/domain/pod-bootstrap/housekeeping/reports.ts';
import { openSurvey } from '#shared/domain/pod-bootstrap/housekeeping/survey.ts';

/** Says what lacks what, in every namespace; `restart-pod` does something about it. */
export default defineReconcile({
  name: 'survey-pods',
  capability: 'pod-bootstrap',
  summary:
    'Measures the pods that lack what they are given, and reports those that nobody restarts.',
  trigger: { everySeconds: 300 },
  reads: [pods],
  uses: [
    ...(['clock', 'settings', 'bootstrapDocument', 'namespaces', 'mirror'] as const),
    ...(['restarts', 'events', 'conditions', 'measures'] as const),
  ],
  deadlineMs: 120_000,
  async handler(_wake, given) {
    const { clock, settings, bootstrapDocument, namespaces, mirror } = given;
    const house = await houseOf(settings.current(), bootstrapDocument, clock.now());
    const survey = openSurvey();
    if (house !== undefined) {
      const { objects } = await mirror.list(pods);
      for await (const each of lookOver(objects, house, namespaces.find)) survey.add(each);
    }
    for (const [name, of] of Object.entries(survey.measures())) given.measures.report(name, of);
    // Where nothing is done to pods, nobody has restarted any.
    const tally = house === undefined ? [] : await given.restarts.tally();
    const campaigns = house === undefined ? [] : await given.restarts.listUnsettled();
    given.measures.report('pod_bootstrap_restarted', tally.map(restartedMeasure));
    given.conditions.report(breakerCondition(campaigns));
    // An older version has noted no name.
    for (const late of campaigns.filter((each) => isLate(each) && each.by.name !== ''))
      await given.events.report(lateReport(late));
    for (const stuck of survey.stuck()) await given.events.report(stuckReport(stuck));
    return done;
  },
});
