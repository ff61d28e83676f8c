#include "io/run/rank_writer.hpp"

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "solver/diagnostics.hpp"
#include "solver/outputs.hpp"

namespace lapl {

template <class T>
void RankWriter<T>::store(const Storing& storing, const Captured<T>& captured) {
  const RunConfig& config = model_.run;
  require_finite(diagnostics_of(captured, config), config, storing.step);
  const std::filesystem::path folder = config.directory;
  // The first rank has the same errors and reports them.
  if (storing.output) {
    StepRecord record{.shape = config.shape, .title = {}, .fields = {}, .provenance = {}};
    for (const OutputDataset& dataset : model_.outputs)
      record.fields.push_back({dataset.name, "", "", values_of(dataset, captured)});
    if (GoAhead::heard(*captured.ranks)) try {
        write_step_file(writer_, *captured.ranks, folder / "fields" / step_file_name(storing.step),
                        record, captured.rows);
      } catch (const IoError&) {
      }
  }
  CheckpointHeader header;
  header.shape = config.shape;
  header.fields = config.fields;
  if (storing.checkpoint && GoAhead::heard(*captured.ranks)) try {
      write_checkpoint(writer_, *captured.ranks,
                       folder / "checkpoints" / checkpoint_file_name(storing.step), header,
                       captured.rows, captured.state);
    } catch (const IoError&) {
    }
}
template class RankWriter<float>;
template class RankWriter<double>;

}  // namespace lapl
