import { type DocumentKeeper, keepDocument } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import {
  documentCondition,
  documentMeasure,
  documentMeasures,
} from '#shared/domain/pod-bootstrap/document-report.ts';
import type { Ports } from '#shared/ports.ts';

/** Every process says for itself which document it goes by. */
export function documentKeeper({
  settings,
  conditions,
  measures,
}: Pick<Ports, 'settings' | 'conditions' | 'measures'>): DocumentKeeper {
  return keepDocument((held) => {
    const { podBootstrap } = settings.current();
    conditions.report(documentCondition(held, podBootstrap.configMap));
    measures.report(documentMeasure, documentMeasures(held, podBootstrap));
  });
}
